import { join } from 'node:path';
import { expect } from 'chai';
import type { Position } from '../../../src/event-store/port.ts';
import { exportFormats } from '../../../src/history/export/formats.ts';
import { historyReadModels } from '../../../src/history/moment/history-read-models.ts';
import { measured, world } from '../../history/report/world.ts';
import { root } from '../../support/project.ts';
import { newServerStores, withBothServers } from '../../support/servers.ts';
import { textOfExport } from './exported-text.ts';
import { historyStage, type HistoryPlace } from './stage.ts';

const events = [...world, measured(12)];

const ROWS: Readonly<Record<string, string>> = {
  'posting-candidates': 'c1',
  'admin-posting-candidates': 'c2',
  'professional-candidates': 'c3',
  'saved-postings': 'ann/p1',
  'professional-profiles': 'cat',
};
// Specialties have nothing personal, and are of no professional or posting.
const readModels = historyReadModels.filter(({ name }) => name !== 'specialties');
const rowOf = (name: string): string => ROWS[name] ?? expect.fail(`ROWS names no row of ${name}`);

/** Where commands are asked about: positions of the event log. */
interface Asked {
  readonly early: Position;
  readonly late: Position;
  readonly end: Position;
}
type CommandAt = (asked: Asked) => readonly string[];

const sql = (statement: string, ...more: readonly string[]) => [...['sql', statement, '--output', 'json'], ...more];

const commands: readonly CommandAt[] = [
  ({ end }) => ['search', '--to', end],
  ({ end }) => ['search', '--to', end, '--json', '--newest', '--limit', '7'],
  ({ early, late }) => ['search', '--from', early, '--to', late, '--entity', 'professional:ann', '--json'],
  ({ late }) => ['search', '--type', 'CandidateApplied', '--where', 'data.postingId=p1', '--to', late],
  ({ end }) => ['show', 'posting', 'p1', '--at', end],
  ({ late }) => ['show', 'candidate', 'c1', '--at', late, '--json'],
  ...readModels.flatMap(({ name, by }): CommandAt[] => {
    const partition = by === 'postingId' ? 'p1' : 'ann';
    return [
      ({ late }) => ['at', name, partition, '--at', late],
      ({ end }) => ['at', name, partition, '--at', end, '--json'],
      ({ early, end }) => ['diff', name, partition, '--from', early, '--to', end, '--json'],
      ({ end }) => ['explain', name, rowOf(name), '--at', end, '--json'],
    ];
  }),
  () => ['at', 'posting-candidates', 'p1', '--at', '2026-03-05', '--json'],
  ({ late }) => ['diff', 'posting-candidates', 'p1', '--from', '2026-03-04T12:00:00Z', '--to', late],
  () => ['at', 'posting-candidates', 'p1', '--at', '99/99'],
  () => ['explain', 'professional-profiles', 'nobody'],
  () => ['types'],
  () => ['types', '--json'],
  () => ['audit', '--json'],
  ...['time-to-hire', 'office-answers', 'interviews-moved'].map((name): CommandAt => {
    return ({ early, late }) => [
      ...['replay', join(root, 'docs', 'examples', `${name}.ts`)],
      ...['--from', early, '--to', late, '--output', 'csv'],
    ];
  }),
  () => ['report'],
  ({ early, late }) => ['report', '--from', early, '--to', late, '--state', 'TX'],
  () => sql('FROM events ORDER BY position'),
  () => sql('FROM CandidateApplied ORDER BY position'),
  ({ late }) => sql('FROM posting_candidates ORDER BY id', '--at-position', late),
  ({ early, late }) =>
    sql(`SELECT a.id, a.officeStatus AS before, b.officeStatus AS after FROM posting_candidates_at('${early}') AS a
      FULL JOIN posting_candidates_at('${late}') AS b USING (id) ORDER BY a.id, b.id`),
  () => sql("FROM saved_postings_at('2026-03-03') ORDER BY id"),
  ...exportFormats.map((format): CommandAt => ({ late }) => ['export', '--format', format, '--to', late]),
  () => ['export', '--format', 'csv', '--case', 'candidate'],
];

const nameOf = (command: CommandAt): string =>
  command({ early: 'EARLY', late: 'LATE', end: 'END' }).join(' ').replaceAll(`${root}/`, '').replace(/\s+/g, ' ');

/** Positions as places in the event log; tables are as wide as the positions. */
const withoutPositions = (text: string, positions: readonly Position[]): string =>
  positions
    .reduce((left, position, index) => left.replaceAll(position, `#${index}`), text)
    .replaceAll(/ {2,}/g, '  ')
    .replaceAll(/-{2,}/g, '--');

/** What a service refuses is said to be refused by it. */
const REFUSED_BY = /(?<=^hiring: )http:\S+ refused: /m;

/** What commands print and write in a place, by the command. */
const answersIn = (place?: HistoryPlace) => {
  const stage = historyStage(place);
  const answerTo = async (args: readonly string[], out: string): Promise<string> => {
    const isExport = args[0] === 'export';
    const { code, stdout, stderr } = await stage.history(...args, ...(isExport ? ['--out', out] : []));
    return [code, stdout, stderr, isExport ? await textOfExport(out) : ''].join('\n');
  };
  return async (commands: readonly CommandAt[]): Promise<ReadonlyMap<string, string>> => {
    await stage.given(events);
    const positions = await stage.positions();
    if (place?.isServiceAsked) await stage.serve();
    const [early = '', late = '', end = ''] = [9, 14, 18].map((index) => positions[index]);
    const answers = new Map<string, string>();
    for (const [index, command] of commands.entries()) {
      const out = join(stage.directory(), `export-${index}`);
      const answer = (await answerTo(command({ early, late, end }), out))
        .replaceAll(stage.directory(), '')
        .replace(REFUSED_BY, '');
      answers.set(nameOf(command), withoutPositions(answer, positions));
    }
    return answers;
  };
};

const suite = (place: HistoryPlace) => {
  const onFiles = answersIn();
  const there = answersIn(place);
  it('answers every command as on files', async () => {
    const expected = await onFiles(commands);
    const answers = await there(commands);
    for (const [name, answer] of expected) expect(answers.get(name), name).to.equal(answer);
  });
};

describe('The history, asked of a service', function () {
  this.timeout(120_000);
  suite({ isServiceAsked: true });
});

withBothServers('The history on servers', () => {
  describe('The history', function () {
    this.timeout(120_000);
    suite({ newServers: newServerStores });
  });
  describe('The history, asked of a service', function () {
    this.timeout(120_000);
    suite({ newServers: newServerStores, isServiceAsked: true });
  });
});

import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { eventually } from '../../support/eventually.ts';
import { auditDecider } from '../../../src/streams/audit.ts';
import { candidateDecider } from '../../../src/domain/candidate.ts';
import { eventDefinitions } from '../../../src/domain/index.ts';
import { officeDecider } from '../../../src/domain/office.ts';
import { noticeDecider } from '../../../src/domain/notices.ts';
import { phoneCodeRequestDecider } from '../../../src/domain/phone-code-requests.ts';
import { postingDecider } from '../../../src/domain/posting.ts';
import { professionalDecider } from '../../../src/domain/professional.ts';
import { savedPostingsDecider } from '../../../src/domain/saved-postings.ts';
import { userDecider } from '../../../src/domain/user.ts';
import { START_POSITION, type Position } from '../../../src/event-store/port.ts';
import { leavesOf, valueAtPath, type MemberPath } from '../../../src/history/moment/member-paths.ts';
import { historyReadModels } from '../../../src/history/moment/history-read-models.ts';
import { isObject, type Json } from '../../../src/schema/json.ts';
import { PERSONAL_KEYWORD } from '../../../src/schema/schema.ts';
import { bodies, claims } from '../../support/examples.ts';
import { on, type Fact } from '../../support/facts.ts';
import { processKeys } from '../../support/process.ts';
import { newServerStores, withBothServers } from '../../support/servers.ts';
import { tokenFor } from '../../support/service.ts';
import { textsOf } from './exported-text.ts';
import { historyStage, type HistoryPlace } from './stage.ts';

const home = { latitude: 31.417263, longitude: -96.417263 };
const ids = { candidateId: 'c1', postingId: 'p1', professionalId: 'ann' };
const code = { userId: 'u1', codeId: 'code-1' };

/** A world in which every personal member has a value that stands nowhere else. */
const planted: readonly Fact[] = [
  on(officeDecider, 'bright')({ type: 'OfficeRecorded', data: { officeId: 'bright', ...bodies.office } }),
  on(
    professionalDecider,
    'ann',
  )({
    type: 'ProfessionalRecorded',
    data: {
      professionalId: 'ann',
      ...bodies.professional,
      userId: 'u1',
      firstName: 'Plantedfirst',
      lastName: 'Plantedlast',
      email: 'planted.mail@example.com',
      phone: '+15125559871',
      picture: 'https://example.com/planted-picture.png',
      ...home,
    },
  }),
  on(
    postingDecider,
    'p1',
  )({ type: 'PostingRecorded', data: { postingId: 'p1', ...bodies.posting, officeId: 'bright' } }),
  on(savedPostingsDecider, 'ann')({ type: 'PostingSaved', data: { professionalId: 'ann', postingId: 'p1' } }),
  on(
    savedPostingsDecider,
    'ann',
  )({
    type: 'CommuteMeasured',
    data: {
      professionalId: 'ann',
      postingId: 'p1',
      from: home,
      to: { latitude: 30.2672, longitude: -97.7431 },
      roadDistance: 17.4172,
      eta: 'PT41M17S',
    },
  }),
  on(
    phoneCodeRequestDecider,
    'plantedhash',
  )({ type: 'CodeRequested', data: { numberHash: 'plantedhash', codeId: 'code-1' } }),
  on(noticeDecider, 'plantedrecipient')({ type: 'NoticeRequested', data: { recipientHash: 'plantedrecipient' } }),
  on(candidateDecider, 'c1')({ type: 'CandidateApplied', data: { ...ids, resumeId: 'r1' } }),
  on(
    userDecider,
    'u1',
  )({
    type: 'CodeIssued',
    data: {
      ...code,
      channel: 'sms',
      destination: '+15125559872',
      codeHash: 'hash',
      expiresAt: '2026-03-02T09:15:00.000Z',
    },
  }),
  on(
    auditDecider,
    '2026-03-02',
  )({
    type: 'OperatorActed',
    data: {
      day: '2026-03-02',
      actId: 'act-1',
      operation: 'personal-data',
      parameters: { reason: 'A call by Plantedcaller' },
      phase: 'failed',
      detail: 'There is no Planteddetail',
    },
  }),
  on(userDecider, 'u1')({ type: 'PhoneNumberChanged', data: { ...code, phoneNumber: '+15125559873' } }),
];

/** The paths of the members that a schema marks as personal. */
const personalIn = (schema: unknown, path: MemberPath = []): readonly MemberPath[] => {
  if (!isObject(schema)) return [];
  if (schema[PERSONAL_KEYWORD] !== undefined) return [path];
  const properties = isObject(schema['properties']) ? schema['properties'] : {};
  return Object.entries(properties).flatMap(([name, member]) => personalIn(member, [...path, name]));
};

const members = eventDefinitions.flatMap(({ type, data }) =>
  personalIn(data).map((path) => ({
    name: `${type} ${path.join('.')}`,
    value: planted
      .filter((fact) => fact.type === type)
      .map((fact): Json | undefined => valueAtPath(fact.data, path))
      .find((value) => value !== undefined && value !== null),
  })),
);
const values = members.flatMap(({ value }) =>
  value === undefined
    ? []
    : leavesOf(value).map(([, leaf]) => (typeof leaf === 'string' ? leaf : JSON.stringify(leaf))),
);

const ROWS: Readonly<Record<string, string>> = {
  'posting-candidates': 'c1',
  'admin-posting-candidates': 'c1',
  'professional-candidates': 'c1',
  'saved-postings': 'ann/p1',
  'professional-profiles': 'ann',
};
// Specialties have nothing personal, and are of no professional or posting.
const readModels = historyReadModels.filter(({ name }) => name !== 'specialties');
const rowOf = (name: string): string => ROWS[name] ?? expect.fail(`ROWS names no row of ${name}`);
const partitionOf = ({ by }: (typeof readModels)[number]) => (by === 'postingId' ? 'p1' : 'ann');

const types = [
  'ProfessionalRecorded',
  'CommuteMeasured',
  'CodeRequested',
  'CodeIssued',
  'PhoneNumberChanged',
  'OperatorActed',
];
const tables = ['events', ...types, ...readModels.map(({ name }) => name.replaceAll('-', '_'))];

/** One statement for all rows of tables: each statement opens the copy anew. */
const rowsOf = (names: readonly string[]): string =>
  names.map((name) => `SELECT '${name}' AS of, to_json(each) AS row FROM ${name} AS each`).join(' UNION ALL ');

/** Commands that print what they find, after an event where they show differences. */
const printing = (after: Position): readonly (readonly string[])[] => [
  ['types'],
  ['search'],
  ['search', '--json'],
  ...['professional ann', 'user u1', 'posting p1', 'candidate c1'].map((of) => ['show', ...of.split(' ')]),
  ['show', 'professional', 'ann', '--json'],
  ...readModels.flatMap((readModel) => [
    ['at', readModel.name, partitionOf(readModel)],
    ['at', readModel.name, partitionOf(readModel), '--json'],
    ['diff', readModel.name, partitionOf(readModel), '--from', after, '--json'],
    ['explain', readModel.name, rowOf(readModel.name)],
  ]),
  ['sql', rowsOf(tables), '--output', 'csv'],
];

const refused: readonly (readonly string[])[] = [
  ['search', '--where', 'data.lastName=Plantedlast'],
  ['search', '--where', 'data.roadDistance=17.4172'],
  ['sql', 'SELECT firstName::INTEGER FROM ProfessionalRecorded'],
];

const REPLAY = `export default {
  init: () => [],
  handlers: Object.fromEntries(
    ${JSON.stringify(types)}.map((type) => [
      type,
      (event, state) => void state.push({ data: JSON.stringify(event.data) }),
    ]),
  ),
  rows: (state) => state,
};
`;

const REASON = 'A question of an office';
interface Act {
  readonly actor: string;
  readonly operation: string;
  readonly parameters: { readonly reason: string };
}

const textOfFiles = async (directory: string): Promise<string> => {
  const files = (await readdir(directory)).map((name) => join(directory, name));
  return (await textsOf(files, (file) => readFile(file, 'latin1'))).join('\n');
};

const suite = (place?: HistoryPlace) => {
  const { directory, given, positions, serve, history } = historyStage(place);
  let first: Position;
  beforeEach(async () => {
    await given(planted);
    [first = START_POSITION] = await positions();
    await writeFile(join(directory(), 'replay.mjs'), REPLAY);
  });

  /** The output of every command, what it has written to files included. */
  const outputs = async (...more: readonly string[]): Promise<ReadonlyMap<string, string>> => {
    const found = new Map<string, string>();
    const run = async (args: readonly string[], wanted = 0) => {
      const personal = args[0] === 'types' ? [] : more;
      const { code: exit, stdout, stderr } = await history(...args, ...personal);
      expect(exit, `${args.join(' ')}: ${stderr}`).to.equal(wanted);
      found.set(args.join(' '), stdout + stderr);
    };
    for (const args of printing(first)) await run(args);
    await run(['replay', join(directory(), 'replay.mjs')]);
    await run(['report', '--out', join(directory(), 'report.html')]);
    found.set('the report', await readFile(join(directory(), 'report.html'), 'utf8'));
    for (const form of ['ndjson', 'csv', 'csv --case professional', 'parquet', 'ocel']) {
      const out = join(directory(), form.replaceAll(' ', '-'));
      await run(['export', '--format', ...form.split(' '), '--out', out]);
      found.set(`the files of ${form}`, await textOfFiles(out));
    }
    if (more.length > 0) return found;
    for (const args of refused) await run(args, 2);
    await run(['explain', 'professional-profiles', 'nobody'], 1);
    return found;
  };
  const shownIn = (found: ReadonlyMap<string, string>) =>
    [...found].flatMap(([name, text]) =>
      values.filter((value) => text.includes(value)).map((value) => `${name} shows ${value}`),
    );

  it('is in no output of any command, page, file or error by default', async () => {
    expect(shownIn(await outputs())).to.deep.equal([]);
  });

  it('is shown for a reason, and the audit says who asked, for what and why', async () => {
    const found = await outputs('--personal-data', '--reason', REASON);
    const everything = [...found.values()].join('\n');
    expect(values.filter((value) => !everything.includes(value))).to.deep.equal([]);
    const { stdout } = await history('audit', '--json');
    const acts = (JSON.parse(stdout) as Act[]).filter(({ parameters }) => parameters.reason === REASON);
    // All commands but `types`, which shows no data.
    expect(acts).to.have.length(printing(first).length - 1 + 7);
    for (const { actor, operation } of acts) {
      expect(operation).to.equal('personal-data');
      expect(actor).to.match(/^os:/);
    }
  });

  it('is in no answer over HTTP by default', async () => {
    const service = await serve();
    const headers = { 'X-API-Key': processKeys.client, Authorization: `Bearer ${await tokenFor(claims.analyst)}` };
    const paths = [
      'events',
      'events?where=data.lastName%3DPlantedlast',
      'types',
      'report',
      'entities/professional/ann',
      'entities/user/u1',
      'entities/candidate/c1',
      ...readModels.flatMap((readModel) => {
        const at = `read-models/${readModel.name}`;
        return [
          `${at}/${partitionOf(readModel)}`,
          `${at}/${partitionOf(readModel)}/difference?from=${encodeURIComponent(first)}`,
          `${at}/rows/${encodeURIComponent(rowOf(readModel.name))}/explanation`,
        ];
      }),
    ];
    const found = new Map<string, string>();
    for (const path of paths) {
      // Where the machine is busy the warehouse takes its time.
      await eventually(`${path} is answered`, async () => {
        const response = await fetch(`${service.url}/history/${path}`, { headers });
        const text = await response.text();
        if (response.status === 503) return false;
        found.set(`${path} ${response.status}`, text);
        return true;
      });
    }
    expect([...found.keys()].filter((name) => !name.endsWith(' 200'))).to.deep.equal([
      'events?where=data.lastName%3DPlantedlast 400',
    ]);
    expect(shownIn(found)).to.deep.equal([]);
  });
};

describe('Personal data in the history', function () {
  this.timeout(120_000);
  it('stands in every member that is marked, in this world', () => {
    expect(members.filter(({ value }) => value === undefined).map(({ name }) => name)).to.deep.equal([]);
    expect(values).to.have.length.above(10);
  });

  suite();
});

withBothServers('Personal data in the history on servers', () => {
  describe('Personal data in the history', function () {
    this.timeout(120_000);
    suite({ newServers: newServerStores });
  });
});

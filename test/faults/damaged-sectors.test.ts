import { once } from 'node:events';
import { createHash } from 'node:crypto';
import {
  appendFileSync,
  closeSync,
  cpSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { toPosition } from '../../src/event-store/embedded/schema.ts';
import { closeAfter, openReader } from '../../src/sqlite/connections.ts';
import { claims } from '../support/examples.ts';
import { eventually } from '../support/eventually.ts';
import { configured, exchange, killLeftProcesses, runProcess, serveProcess, spawnCli } from '../support/process.ts';
import { chanceOf, seedFrom, withSeed, type Chance } from '../support/seeded.ts';
import { tokenFor } from '../support/service.ts';

/** More than 4 MB, so that no start looks at all of it. Of 23,000 candidates are 110,000 events. */
const CANDIDATES = Number(process.env['DAMAGE_CANDIDATES'] ?? 1_500);
/** How often each kind of damage is tried. */
const ROUNDS = Number(process.env['DAMAGE_ROUNDS'] ?? 2);
/** Where a line for each damage is written, if anywhere. */
const REPORT = process.env['DAMAGE_REPORT'];
const SEED = 'DAMAGE_SEED';
const SECTOR = 512;

type Damage = (sector: Buffer, chance: Chance) => void;
const kinds: Readonly<Record<string, Damage>> = {
  'a sector of garbage': (sector, chance) => {
    for (let at = 0; at < sector.length; at++) sector[at] = chance.below(256);
  },
  'a sector of zeros': (sector) => sector.fill(0),
  'a bit that was flipped': (sector, chance) => {
    const at = chance.below(sector.length);
    sector[at] = (sector[at] ?? 0) ^ (1 << chance.below(8));
  },
};

/** Damages one sector of a file, each with the same chance. Returns where it begins. */
const damageIn = (file: string, damage: Damage, chance: Chance): number => {
  const from = SECTOR * chance.below(Math.floor(statSync(file).size / SECTOR));
  const descriptor = openSync(file, 'r+');
  const sector = Buffer.alloc(SECTOR);
  readSync(descriptor, sector, 0, SECTOR, from);
  damage(sector, chance);
  writeSync(descriptor, sector, 0, SECTOR, from);
  closeSync(descriptor);
  return from;
};

/** What was answered, or that damage was named in its place. */
type Answer = string | typeof TOLD;
const TOLD = Symbol('told');

const sha256 = (text: string | Buffer): string => createHash('sha256').update(text).digest('hex');
const namesDamage = (text: string): boolean => /damaged|malformed|corrupt|not a database/i.test(text);

interface Question {
  readonly path: string;
  readonly bearer: string;
}

/** Lists of several users, and rows as they were at a moment. */
const questionsOf = async (log: string): Promise<readonly Question[]> => {
  const sql = `SELECT position, data ->> 'postingId', data ->> 'professionalId' FROM events
    WHERE type = 'CandidateApplied' ORDER BY position`;
  const all = closeAfter(openReader(log), (connection) => connection.prepare(sql).raw().all([]));
  const some = (all as (readonly [number, string, string])[]).filter(
    (_, index) => index % Math.ceil(all.length / 5) === 0,
  );
  const [admin, analyst] = [await tokenFor(claims.admin, '1d'), await tokenFor(claims.analyst, '1d')];
  const asked = some.map(async ([position, posting, professional]) => {
    const own = await tokenFor({ sub: `user-of-${professional}`, professional_id: professional }, '1d');
    const at = `?at=${toPosition(position + Math.floor(all.length / 10))}`;
    return [
      { path: `/admin/postings/${posting}/candidates`, bearer: admin },
      { path: '/professionals/candidates?category=active', bearer: own },
      { path: '/postings/saved', bearer: own },
      { path: `/internal/professionals/${professional}`, bearer: own },
      { path: `/history/read-models/posting-candidates/${posting}${at}`, bearer: analyst },
      { path: `/history/read-models/saved-postings/${professional}${at}`, bearer: analyst },
    ];
  });
  return (await Promise.all(asked)).flat();
};

/** Starts the service, asks it once it is ready or tells of damage, and ends it. */
const askService = async (directory: string, questions: readonly Question[]): Promise<readonly Answer[]> => {
  const service = await serveProcess(directory).catch((error: unknown) => {
    if (error instanceof Error && /ended with 2: hiring: /.test(error.message) && namesDamage(error.message))
      return undefined;
    throw error;
  });
  if (!service) return questions.map(() => TOLD);
  const told = () => service.lines.some((line) => line.includes('The event log is damaged'));
  await eventually('the service is ready, or tells of damage', async () => {
    const { status, body } = await exchange(service.url, { method: 'GET', path: '/health/ready' });
    return status === 200 || told() || namesDamage(JSON.stringify(body));
  });
  const answers: Answer[] = [];
  for (const { path, bearer } of questions) {
    const { status, body } = await exchange(service.url, { method: 'GET', path, bearer });
    answers.push(status === 503 ? TOLD : `${status} ${JSON.stringify(body)}`);
  }
  // A refusal that nothing explains tells nobody of damage.
  if (answers.includes(TOLD)) await eventually('damage is told', told);
  expect(await service.end('SIGTERM')).to.equal(0);
  return answers;
};

/** Runs a command until it ends, or names damage: a rebuild waits for the file to be mended. */
const ask = async (directory: string, args: readonly string[]): Promise<Answer> => {
  const child = spawnCli(directory, args, configured);
  let [stdout, stderr] = ['', ''];
  child.stdout?.on('data', (chunk: Buffer) => (stdout += chunk.toString()));
  child.stderr?.on('data', (chunk: Buffer) => {
    stderr += chunk.toString();
    if (namesDamage(stderr)) child.kill('SIGTERM');
  });
  const [code] = (await once(child, 'close')) as [number | null];
  if (code === 0) return stdout;
  expect(namesDamage(stderr + stdout), `${args.join(' ')} ended with ${code}: ${stderr}`).to.equal(true);
  return TOLD;
};

/** Commands of which one is asked at each damage, since each takes long. */
const commandsOf = (questions: readonly Question[], head: string) => {
  const at = questions.find(({ path }) => path.startsWith('/history/'))?.path ?? '';
  const [, , , readModel = '', partition = '', position = ''] = at.split(/[/?]/);
  const counts = 'SELECT type, count(*), min(position), max(position) FROM events GROUP BY type ORDER BY type';
  return [
    async (directory: string): Promise<Answer> => {
      const out = join(directory, 'export');
      const answer = await ask(directory, ['history', 'export', '--format', 'ndjson', '--to', head, '--out', out]);
      if (answer === TOLD) return TOLD;
      const events = readdirSync(out).filter((name) => name.includes('ndjson'));
      return events.map((name) => sha256(readFileSync(join(out, name)))).join();
    },
    (directory: string) => {
      const rest = ['--at-position', head, '--output', 'csv', '--copy', join(directory, 'copy')];
      return ask(directory, ['history', 'sql', counts, ...rest]);
    },
    (directory: string) =>
      ask(directory, ['history', 'at', readModel, partition, '--at', position.replace('at=', ''), '--json']),
    async (directory: string) => {
      const answer = await ask(directory, ['projections', 'rebuild', 'professional-candidates', '--json']);
      // What was built is as what is served.
      return answer === TOLD ? TOLD : String(/[0-9a-f]{64}/.exec(answer)?.[0]);
    },
  ];
};

describe('A sector of events.db that is damaged', function () {
  const sound = mkdtempSync(join(tmpdir(), 'hiring-sectors-'));
  let questions: readonly Question[];
  let commands: ReturnType<typeof commandsOf>;
  let right: { readonly lists: readonly Answer[]; readonly outputs: readonly Answer[] };
  let builds: readonly string[];
  const counts = { unchanged: 0, told: 0 };
  const seed = seedFrom(SEED);
  const chance = chanceOf(seed);

  const copied = (): string => {
    const directory = mkdtempSync(join(tmpdir(), 'hiring-sectors-'));
    cpSync(sound, directory, { recursive: true });
    return directory;
  };
  before(async function () {
    this.timeout(900_000);
    const image = process.env['DAMAGE_IMAGE'];
    if (image === undefined)
      expect((await runProcess(sound, ['seed', '--candidates', String(CANDIDATES)])).code).to.equal(0);
    else cpSync(image, sound, { recursive: true });
    const log = join(sound, 'events.db');
    expect(statSync(log).size).to.be.above(4_000_000);
    questions = await questionsOf(log);
    const [head] = closeAfter(openReader(log), (connection) =>
      connection.prepare('SELECT max(position) FROM events').raw().get([]),
    ) as readonly [number];
    commands = commandsOf(questions, toPosition(head));
    builds = readdirSync(sound).filter((name) => /^read-models\.db\.[^.]+@[\d.]+$/.test(name));
    const directory = copied();
    const lists = await askService(directory, questions);
    const outputs: Answer[] = [];
    for (const command of commands) outputs.push(await command(directory));
    right = { lists, outputs };
    expect([...lists, ...outputs]).not.to.include(TOLD);
    rmSync(directory, { recursive: true });
  });
  afterEach(() => killLeftProcesses());
  after(() => {
    rmSync(sound, { recursive: true });
    if (REPORT !== undefined) appendFileSync(REPORT, `${JSON.stringify(counts)}\n`);
  });

  for (let round = 0; round < ROUNDS; round++)
    for (const [kind, damage] of Object.entries(kinds))
      it(`changes no answer untold: ${kind}`, async () => {
        await withSeed(SEED, seed, async () => {
          // Given, either with a read model that is built anew, or with a command to ask
          const directory = copied();
          const from = damageIn(join(directory, 'events.db'), damage, chance);
          const build = chance.isTrue(0.5) ? chance.oneOf(builds) : undefined;
          const command = chance.below(commands.length);
          if (build !== undefined) rmSync(join(directory, build));
          // When
          let said = 'failed';
          try {
            const answers = [...(await askService(directory, questions))];
            const output = build === undefined ? await commands[command]?.(directory) : undefined;
            if (output !== undefined) answers.push(output);
            // Then
            const differing = answers.filter(
              (answer, index) => answer !== TOLD && answer !== (right.lists[index] ?? right.outputs[command]),
            );
            said = differing.length > 0 ? 'SILENT' : answers.includes(TOLD) ? 'told' : 'unchanged';
            expect(differing, `at byte ${from}`).to.deep.equal([]);
            counts[said === 'told' ? 'told' : 'unchanged']++;
          } finally {
            if (REPORT !== undefined)
              appendFileSync(REPORT, `${seed} ${kind} at ${from}, ${build ?? `command ${command}`}: ${said}\n`);
          }
          rmSync(directory, { recursive: true });
        });
      });
});

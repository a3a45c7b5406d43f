import { execFileSync, fork } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { importsOf } from '../architecture/imports.ts';
import { importsOfRooms, roomOf } from '../architecture/import-rules.ts';
import { readSources } from '../architecture/sources.ts';
import { bodies, ids } from '../support/examples.ts';
import { configured, environmentOf, sendTo, urlIn, type SentRequest } from '../support/process.ts';
import { readFile, root } from '../support/project.ts';

/** `npm run measure`: how large the project is, and how much of it a request runs. */
const sources = await readSources();
const tracked = execFileSync('git', ['ls-files'], { cwd: root, encoding: 'utf8' }).trim().split('\n');

interface Size {
  files: number;
  code: number;
  comments: number;
}
/** Lines, of which blank ones are neither: a comment begins its line. */
const sizeOf = (texts: readonly string[]): Size => {
  const lines = texts.flatMap((text) => text.split('\n').map((line) => line.trim())).filter(Boolean);
  const comments = lines.filter((line) => /^(?:\/\/|\/\*|\*)/.test(line)).length;
  return { files: texts.length, code: lines.length - comments, comments };
};
const show = (name: string, { files, code, comments }: Size): void =>
  console.log(`${name.padEnd(34)}${[files, code, comments].map((n) => String(n).padStart(8)).join('')}`);

const others = new Map<string, Set<string>>();
for (const path of sources.keys()) others.set(roomOf(path), others.get(roomOf(path)) ?? new Set());
for (const { from, to } of importsOfRooms(importsOf(sources))) others.get(from)?.add(to);
/** A room stands one floor above the highest that it imports. */
const floorOf = (room: string): number =>
  1 + Math.max(-1, ...[...(others.get(room) ?? [])].map((other) => floorOf(other)));

const rooms = [...others.keys()]
  .map((room) => ({ room, floor: floorOf(room) }))
  .toSorted((a, b) => b.floor - a.floor || (a.room < b.room ? -1 : 1));
console.log(`${'room, by floor'.padEnd(34)}${'files'.padStart(8)}${'code'.padStart(8)}${'comments'.padStart(8)}`);
for (const { room, floor } of rooms) {
  const texts = [...sources].filter(([path]) => roomOf(path) === room).map(([, text]) => text);
  show(`${String(floor).padStart(2)} ${room}`, sizeOf(texts));
}
show(`${rooms.length} rooms, ${(rooms[0]?.floor ?? 0) + 1} floors`, sizeOf([...sources.values()]));
show('tests', sizeOf(tracked.filter((path) => /^test\/.*\.ts$/.test(path)).map(readFile)));
show('benchmarks', sizeOf(tracked.filter((path) => /^bench\/.*\.ts$/.test(path)).map(readFile)));
const pages = tracked.filter((path) => /^(?:[A-Z]+\.md|docs\/[^/]*\.md)$/.test(path));
const words = pages.flatMap((path) => readFile(path).split(/\s+/).filter(Boolean)).length;
console.log(`${words} words in ${pages.length} pages of docs`);

// A service as it is compiled, a module a file, with its threads.
const directory = mkdtempSync(join(tmpdir(), 'hiring-measure-'));
const service = fork(join(root, 'dist/src/cli/hiring.js'), ['serve'], {
  cwd: directory,
  env: environmentOf(directory, configured),
  execArgv: ['--import', join(import.meta.dirname, 'coverage.js')],
  stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
});
const url = await new Promise<string>((resolve, reject) => {
  service.once('exit', (code) => reject(new Error(`hiring serve ended with ${code}`)));
  if (service.stdout)
    createInterface({ input: service.stdout }).on('line', (line) => {
      const found = urlIn(line);
      if (found !== undefined) resolve(found);
    });
});
const send = async (method: string, path: string, request: SentRequest = {}): Promise<void> => {
  const { status, body } = await sendTo({ url }, method, path, request);
  if (status >= 300) throw new Error(`${method} ${path} answered ${status}: ${JSON.stringify(body)}`);
};

/** Threads take as long to answer at most. */
const ANSWER_MS = 1_000;
const take = async (): Promise<Set<string>> => {
  const ran = new Set<string>();
  const add = (some: unknown) => (some as readonly string[]).forEach((one) => ran.add(one));
  service.on('message', add);
  service.send('take');
  await delay(ANSWER_MS);
  service.off('message', add);
  return ran;
};
const OWN = /\/dist\/((?:src|commands|queries|projections)\/\S+) \d+$/;
/** What an act runs the second time, when all that it starts once runs. */
const measure = async (name: string, act: (posting: string) => Promise<void>): Promise<void> => {
  await act(ids.posting);
  await take();
  await act(ids.otherPosting);
  await delay(ANSWER_MS);
  const own = [...(await take())].flatMap((one) => OWN.exec(one)?.[1] ?? []);
  console.log(`${name}: ${own.length} functions of ${new Set(own).size} files`);
};

try {
  await send('PUT', `/internal/offices/${ids.office}`, { body: bodies.office });
  await send('PUT', `/internal/professionals/${ids.professional}`, { body: bodies.professional });
  for (const id of [ids.posting, ids.otherPosting])
    await send('PUT', `/internal/postings/${id}`, { body: bodies.posting });
  await measure('nothing, for two seconds', () => Promise.resolve());
  await measure('a save', (postingId) =>
    send('POST', '/professionals/postings/save', { as: 'professional', body: { postingId } }),
  );
  await measure('a read', () => send('GET', '/postings/saved', { as: 'professional' }));
  await measure('a read model at a moment', () =>
    send('GET', `/history/read-models/saved-postings/${ids.professional}`, { as: 'analyst' }),
  );
  await measure('a rebuild', () =>
    send('POST', '/admin/projections/saved-postings/rebuild', { as: 'admin', body: { confirm: 'saved-postings' } }),
  );
} finally {
  service.kill();
  rmSync(directory, { recursive: true, force: true });
}

import { expect } from 'chai';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { breachesIn } from './import-rules.ts';
import { importsOf, type Sources } from './imports.ts';

const root = join(import.meta.dirname, '..', '..');

const readSources = async (): Promise<Sources> => {
  const folders = ['src', 'commands', 'projections', 'queries'];
  const found = await Promise.all(
    folders.map(async (folder) => {
      const names = await readdir(join(root, folder), { recursive: true });
      return names.filter((name) => name.endsWith('.ts')).map((name) => `${folder}/${name}`);
    }),
  );
  const read = found.flat().map(async (path) => [path, await readFile(join(root, path), 'utf8')] as const);
  return new Map(await Promise.all(read));
};

describe('the import rules', () => {
  let sources: Sources;
  before(async () => {
    sources = await readSources();
  });

  it('are kept', () => {
    expect(breachesIn(sources)).to.deep.equal([]);
  });

  it('look at the whole of the project', () => {
    const imports = importsOf(sources).map(({ from, to }) => `${from} > ${to}`);
    expect(imports).to.include.members([
      'src/app.ts > commands/index.ts',
      'src/stores.ts > src/event-store/embedded.ts',
      'src/event-store/embedded.ts > src/event-store/embedded-writer.ts',
      'commands/candidates/change-candidate.ts > src/domain/candidate.ts',
      'queries/specialty.ts > projections/specialties.ts',
      'projections/specialties.ts > src/projection.ts',
    ]);
  });

  const from = 'commands/candidates/change-candidate.ts';
  const plants: Readonly<Record<string, readonly [from: string, line: string, breach: string]>> = {
    'a command that imports a query': [
      from,
      "import { queries } from '../../queries/index.ts';",
      `commands never import projections or queries: ${from} imports queries/index.ts`,
    ],
    "a command that imports a projection's type": [
      from,
      "import type { Specialty } from '../../projections/specialties.ts';",
      `commands never import projections or queries: ${from} imports projections/specialties.ts`,
    ],
    "a query that imports the domain's type": [
      'queries/specialty.ts',
      "import { type SpecialtyState } from '../src/domain/specialty.ts';",
      'queries never import the domain or the event store: queries/specialty.ts imports src/domain/specialty.ts',
    ],
    "a query that names the event store's type in passing": [
      'queries/specialty.ts',
      "export type Place = import('../src/event-store/port.ts').Position;",
      'queries never import the domain or the event store: queries/specialty.ts imports src/event-store/port.ts',
    ],
    'a projection that imports HTTP': [
      'projections/specialties.ts',
      "export * from '../src/http/context.ts';",
      'projections never import commands, queries, HTTP or the event store: projections/specialties.ts imports src/http/context.ts',
    ],
    "a projection that imports the event store's type": [
      'projections/specialties.ts',
      "import type { Position } from '../src/event-store/port.ts';",
      'projections never import commands, queries, HTTP or the event store: projections/specialties.ts imports src/event-store/port.ts',
    ],
    'an adapter outside of the one place that wires': [
      'src/projector.ts',
      "const store = await import('./event-store/embedded.ts');",
      'adapters are known only to src/stores.ts, the projector thread, each other and the CLI: src/projector.ts imports src/event-store/embedded.ts',
    ],
    "an adapter's worker started elsewhere": [
      'src/projector.ts',
      "new Worker(new URL('./event-store/embedded-writer.js', import.meta.url));",
      'adapters are known only to src/stores.ts, the projector thread, each other and the CLI: src/projector.ts imports src/event-store/embedded-writer.ts',
    ],
    'SQLite outside of the adapters': [
      'src/repository.ts',
      "import './sqlite/connections.ts';",
      'adapters are known only to src/stores.ts, the projector thread, each other and the CLI: src/repository.ts imports src/sqlite/connections.ts',
    ],
    'a domain that asks the outside world': [
      'src/domain/review.ts',
      "import { type Clock, systemClock } from '../ports/clock.ts';",
      'the domain imports nothing but types from HTTP, ports, read models and the event store: src/domain/review.ts imports src/ports/clock.ts',
    ],
    'a circle of two': [
      'src/decider.ts',
      "import type { Candidate } from './domain/candidate.ts';",
      'imports never go in a circle: src/decider.ts -> src/domain/candidate.ts -> src/decider.ts',
    ],
    'a file that imports itself': [
      'src/errors.ts',
      "import { conflict } from './errors.ts';",
      'imports never go in a circle: src/errors.ts -> src/errors.ts',
    ],
  };
  for (const [name, [path, line, breach]] of Object.entries(plants))
    it(`catch ${name}`, () => {
      const planted = new Map(sources).set(path, `${sources.get(path) ?? ''}\n${line}\n`);
      expect(breachesIn(planted)).to.include(breach);
    });

  it('let the domain take a type from the event store', () => {
    const line = "import { type Position, type Revision } from '../event-store/port.ts';";
    const planted = new Map(sources).set(
      'src/domain/review.ts',
      `${sources.get('src/domain/review.ts') ?? ''}\n${line}\n`,
    );
    expect(importsOf(planted).length).to.equal(importsOf(sources).length + 1);
    expect(breachesIn(planted)).to.deep.equal(breachesIn(sources));
  });

  it('do not mind what only a comment says', () => {
    const line = "// import { queries } from '../../queries/index.ts';";
    const planted = new Map(sources).set(from, `${sources.get(from) ?? ''}\n${line}\n`);
    expect(breachesIn(planted)).to.deep.equal(breachesIn(sources));
  });
});

import { expect } from 'chai';
import { readFile } from '../support/project.ts';
import { allowedImportsIn, breachesIn, type AllowedImports } from './import-rules.ts';
import { importsOf, type Sources } from './imports.ts';
import { readSources } from './sources.ts';

const FILE = 'test/architecture/allowed-imports.txt';

describe('the import rules', () => {
  let sources: Sources;
  let allowed: AllowedImports;
  before(async () => {
    sources = await readSources('test/library');
    allowed = allowedImportsIn(readFile(FILE));
  });

  it('are kept', () => {
    expect(breachesIn(sources, allowed)).to.deep.equal([]);
  });

  it('are of the rooms that ARCHITECTURE.md describes', () => {
    const named = [...readFile('ARCHITECTURE.md').matchAll(/^- `([^`]+)`:/gm)].map(([, name = '']) => name);
    const rooms = [...allowed.keys()].map((room) => room.replace(/^src\//, ''));
    expect(named.map((name) => name.replace(/\/$/, ''))).to.have.members(rooms);
  });

  it('look at the whole of the project', () => {
    const imports = importsOf(sources).map(({ from, to }) => `${from} > ${to}`);
    expect(imports).to.include.members([
      'src/hiring/index.ts > commands/index.ts',
      'src/stores.ts > src/event-store/embedded/event-store.ts',
      'src/event-store/embedded/event-store.ts > src/event-store/embedded/writer.thread.ts',
      'commands/candidates/change-candidate.ts > src/domain/candidate.ts',
      'queries/specialty.ts > projections/specialties.ts',
      'projections/specialties.ts > src/projector/projection.ts',
    ]);
  });

  it('keep the business out of the platform, on which a second business is built', () => {
    const [platform = ''] = readFile(FILE).split('\n\n');
    const rooms = [...allowedImportsIn(platform)];
    expect(rooms.map(([room]) => room)).to.include.members(['src/http', 'src/projector', 'test/library']);
    const business = ['commands', 'queries', 'projections', 'src/domain', 'src/hiring'];
    for (const [room, imported] of rooms)
      expect(
        business.filter((other) => imported.has(other)),
        room,
      ).to.deep.equal([]);
  });

  const from = 'commands/candidates/change-candidate.ts';
  const plants: Readonly<Record<string, readonly [from: string, line: string, breach: string]>> = {
    'a command that imports a query': [
      from,
      "import { queries } from '../../queries/index.ts';",
      `commands may not import queries: ${from} imports queries/index.ts`,
    ],
    "a command that imports a projection's type": [
      from,
      "import type { Specialty } from '../../projections/specialties.ts';",
      `commands may not import projections: ${from} imports projections/specialties.ts`,
    ],
    'a command that answers with a status': [
      from,
      "import { notAcceptable } from '../../src/http/edge/http-error.ts';",
      `commands may not import src/http/edge: ${from} imports src/http/edge/http-error.ts`,
    ],
    "a query that imports the domain's type": [
      'queries/specialty.ts',
      "import { type SpecialtyState } from '../src/domain/specialty.ts';",
      'queries may not import src/domain: queries/specialty.ts imports src/domain/specialty.ts',
    ],
    "a query that names the event store's type in passing": [
      'queries/specialty.ts',
      "export type Place = import('../src/event-store/port.ts').Position;",
      'queries may not import src/event-store: queries/specialty.ts imports src/event-store/port.ts',
    ],
    'a projection that imports HTTP': [
      'projections/specialties.ts',
      "export * from '../src/http/edge/context.ts';",
      'projections may not import src/http/edge: projections/specialties.ts imports src/http/edge/context.ts',
    ],
    'an adapter outside of the one place that wires': [
      'src/projector/projector.ts',
      "const store = await import('../event-store/embedded/event-store.ts');",
      'src/projector may not import src/event-store/embedded: src/projector/projector.ts imports src/event-store/embedded/event-store.ts',
    ],
    "an adapter's worker started elsewhere": [
      'src/projector/projector.ts',
      "new Worker(new URL('../event-store/embedded/writer.thread.js', import.meta.url));",
      'src/projector may not import src/event-store/embedded: src/projector/projector.ts imports src/event-store/embedded/writer.thread.ts',
    ],
    'SQLite outside of the adapters': [
      'src/application/repository.ts',
      "import '../sqlite/connections.ts';",
      'src/application may not import src/sqlite: src/application/repository.ts imports src/sqlite/connections.ts',
    ],
    'a domain that asks the outside world': [
      'src/domain/review.ts',
      "import type { Clock } from '../ports/clock.ts';",
      'src/domain may not import src/ports: src/domain/review.ts imports src/ports/clock.ts',
    ],
    'a stream that uses the event store': [
      'src/streams/audit.ts',
      "import { type Position, START } from '../event-store/port.ts';",
      'src/streams may only import types of src/event-store: src/streams/audit.ts imports src/event-store/port.ts',
    ],
    'a circle of two files': [
      'src/streams/events.ts',
      "import type { Decider } from './decider.ts';",
      'imports never go in a circle: src/streams/decider.ts -> src/streams/events.ts -> src/streams/decider.ts',
    ],
    'a circle of two rooms': [
      'src/lib/backoff.ts',
      "import type { Json } from '../sqlite/files.ts';",
      'imports never go in a circle: src/lib -> src/sqlite -> src/lib',
    ],
    'a file that imports itself': [
      'src/errors/domain-error.ts',
      "import { conflict } from './domain-error.ts';",
      'imports never go in a circle: src/errors/domain-error.ts -> src/errors/domain-error.ts',
    ],
    'a file in no room': [
      'src/helpers.ts',
      'export const help = 1;',
      'only src/stores.ts stands in no room: src/helpers.ts',
    ],
  };
  for (const [name, [path, line, breach]] of Object.entries(plants))
    it(`catch ${name}`, () => {
      const planted = new Map(sources).set(path, `${sources.get(path) ?? ''}\n${line}\n`);
      expect(breachesIn(planted, allowed)).to.include(breach);
    });

  it('catch what is allowed in vain', () => {
    const more = new Map(allowed).set('src/errors', new Set(['src/sqlite']));
    expect(breachesIn(sources, more)).to.deep.equal(['src/errors need not be allowed to import src/sqlite']);
  });

  it('let a stream take a type from the event store', () => {
    const line = "import { type Position, type Revision } from '../event-store/port.ts';";
    const planted = new Map(sources).set(
      'src/streams/audit.ts',
      `${sources.get('src/streams/audit.ts') ?? ''}\n${line}\n`,
    );
    expect(importsOf(planted).length).to.equal(importsOf(sources).length + 1);
    expect(breachesIn(planted, allowed)).to.deep.equal(breachesIn(sources, allowed));
  });

  it('do not mind what only a comment says', () => {
    const line = "// import { queries } from '../../queries/index.ts';";
    const planted = new Map(sources).set(from, `${sources.get(from) ?? ''}\n${line}\n`);
    expect(breachesIn(planted, allowed)).to.deep.equal(breachesIn(sources, allowed));
  });
});

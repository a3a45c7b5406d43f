import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import fc from 'fast-check';
import { candidateDecider, type CandidateState } from '../../../src/domain/candidate.ts';
import { createDecoder } from '../../../src/streams/decode.ts';
import { entityKinds, referenceMembersByKind } from '../../../src/domain/entity.ts';
import { eventDefinitions } from '../../../src/domain/index.ts';
import type { Json, JsonObject } from '../../../src/schema/json.ts';
import type { RecordedEvent } from '../../../src/event-store/port.ts';
import type { ExportFormatOptions } from '../../../src/history/export/formats.ts';
import { openReader } from '../../../src/sqlite/connections.ts';
import { pythonPrints } from '../../support/python.ts';
import { itWith, pythonWith } from '../../support/tools.ts';
import { eventLists, eventsIn, exportInto, filesOf, inDirectory, Killed, killedAfter, storeOf } from './stage.ts';

const ocel: ExportFormatOptions = { format: 'ocel', types: undefined };
const samples = fc.sample(eventLists, { numRuns: 6, seed: 23 });
/** Logs that are read by Python, which takes long to start. */
const FEW = 2;
const decode = createDecoder(candidateDecider.events);

/** The rows of a query of a log. */
const query = (directory: string, sql: string): readonly (readonly unknown[])[] => {
  const connection = openReader(join(directory, 'log.ocel.sqlite'));
  try {
    return connection.prepare(sql).raw().all([]) as (readonly unknown[])[];
  } finally {
    connection.close();
  }
};

/** The candidates that each closing of a posting closes, by the domain's own code. */
const closedIn = (events: readonly RecordedEvent[]): string[] => {
  const states = new Map<string, CandidateState>();
  const closed: string[] = [];
  for (const recorded of events) {
    const event = decode(recorded);
    if (event) states.set(recorded.stream, candidateDecider.evolve(states.get(recorded.stream) ?? null, event));
    if (recorded.type !== 'PostingClosed') continue;
    for (const [stream, state] of states)
      if (state?.postingId === recorded.data['postingId'] && state?.hiringStatus === 'open')
        closed.push(`${recorded.position} ${stream.replace('candidate-', 'candidate/')}`);
  }
  return closed.sort();
};

const namedIn = (events: readonly RecordedEvent[]): string[] =>
  events
    .flatMap(({ position, data }) =>
      entityKinds.flatMap((kind) =>
        referenceMembersByKind[kind].flatMap((member) =>
          typeof data[member] === 'string' ? [`${position} ${kind}/${data[member]} ${member}`] : [],
        ),
      ),
    )
    .sort();

const asText = (id: Json | undefined): string => (typeof id === 'string' ? id : '');

/** The object that an event tells something of; undefined for other kinds of objects. */
const toldBy = (type: string, { professionalId, postingId, candidateId }: JsonObject): string | undefined => {
  if (/^(?:ProfessionalRecorded|OnboardingStatusChanged)$/.test(type)) return `professional/${asText(professionalId)}`;
  if (/^Posting(?:Recorded|Closed)$/.test(type)) return `posting/${asText(postingId)}`;
  return type === 'CandidateApplied' ? `candidate/${asText(candidateId)}` : undefined;
};

describe('An export as an object-centric event log', function () {
  this.timeout(120_000);

  const exports: { readonly directory: string; readonly events: readonly RecordedEvent[] }[] = [];
  before(async () => {
    for (const events of samples) {
      const directory = await mkdtemp(join(tmpdir(), 'hiring-ocel-'));
      const log = await storeOf(events);
      await exportInto(log, directory, ocel);
      exports.push({ directory, events: await eventsIn(log) });
    }
  });
  after(() => Promise.all(exports.map(({ directory }) => rm(directory, { recursive: true }))));

  const exported =
    (act: (directory: string, events: readonly RecordedEvent[]) => void, some = samples.length) =>
    (): void => {
      for (const { directory, events } of exports.slice(0, some)) act(directory, events);
    };

  it(
    'holds every event, related to each object that it names',
    exported((directory, events) => {
      expect(query(directory, 'SELECT ocel_id, ocel_type FROM event ORDER BY ocel_id')).to.deep.equal(
        events.map(({ position, type }) => [position, type]),
      );
      const found = query(
        directory,
        "SELECT ocel_event_id || ' ' || ocel_object_id || ' ' || ocel_qualifier FROM event_object WHERE ocel_qualifier NOT IN ('actor', 'closed') ORDER BY 1",
      );
      expect(found.flat()).to.deep.equal(namedIn(events));
    }),
  );

  it(
    'relates the closing of a posting to the candidates that it closes',
    exported((directory, events) => {
      const found = query(
        directory,
        "SELECT ocel_event_id || ' ' || ocel_object_id FROM event_object WHERE ocel_qualifier = 'closed' ORDER BY 1",
      );
      expect(found.flat()).to.deep.equal(closedIn(events));
    }),
  );

  it('is made from histories in which candidates are closed', () => {
    expect(exports.flatMap(({ events }) => closedIn(events))).to.have.length.above(0);
  });

  it(
    'has each object once as it was first, and every relation to what is there',
    exported((directory) => {
      const perKind = entityKinds.map(
        (kind) => `SELECT ocel_id, '${kind}' FROM object_${kind} WHERE ocel_changed_field IS NULL`,
      );
      expect(query(directory, `${perKind.join(' UNION ALL ')} ORDER BY 1`)).to.deep.equal(
        query(directory, 'SELECT * FROM object ORDER BY 1'),
      );
      expect(query(directory, 'PRAGMA foreign_key_check')).to.deep.equal([]);
    }),
  );

  it(
    'has of each object what was first told of it, at the time when it was told',
    exported((directory, events) => {
      const first = new Map<string, readonly unknown[]>();
      for (const { type, data, metadata } of events) {
        const object = toldBy(type, data);
        if (object === undefined || first.has(object)) continue;
        const value = type === 'CandidateApplied' ? 'applied' : data['profession'];
        first.set(object, [object, metadata['recordedAt'], value]);
      }
      const found = query(
        directory,
        `SELECT ocel_id, ocel_time, profession FROM object_professional WHERE ocel_changed_field IS NULL AND profession IS NOT NULL
         UNION ALL SELECT ocel_id, ocel_time, profession FROM object_posting WHERE ocel_changed_field IS NULL AND profession IS NOT NULL
         UNION ALL SELECT ocel_id, ocel_time, officeStatus FROM object_candidate WHERE ocel_changed_field IS NULL AND officeStatus IS NOT NULL`,
      );
      expect(found).to.have.deep.members([...first.values()].filter(([, , value]) => value !== undefined));
    }),
  );

  it('makes the same bytes after a kill, and is made anew by a later run', () =>
    inDirectory(async (directory) => {
      const [whole, killed] = [join(directory, 'whole'), join(directory, 'killed')];
      const log = await storeOf(samples[0] ?? []);
      const upTo = (await eventsIn(log))[4]?.position ?? '';
      await exportInto(log, whole, ocel);
      for (let after = 0; after < 14; after += 3) {
        const { operations } = killedAfter(after);
        await exportInto(log, killed, ocel, { operations, upTo }).catch((error: unknown) => {
          if (!(error instanceof Killed)) throw error;
        });
      }
      await exportInto(log, killed, ocel);
      expect(await filesOf(killed)).to.deep.equal(await filesOf(whole));
    }));

  itWith([pythonWith('sqlite3')], 'is what the standard says, read by Python', () => {
    const program = `
import json, sqlite3, sys
log = sqlite3.connect(sys.argv[1])
info = lambda table: {row[1]: row for row in log.execute(f'PRAGMA table_info("{table}")')}
keys = lambda table: sorted(name for name, row in info(table).items() if row[5] > 0)
refers = lambda table: sorted((row[3], row[2], row[4]) for row in log.execute(f'PRAGMA foreign_key_list("{table}")'))
general = ['event_map_type', 'object_map_type', 'event', 'object', 'event_object', 'object_object']
special = [(of, kind) for of in ('event', 'object') for (kind,) in log.execute(f'SELECT ocel_type_map FROM {of}_map_type')]
tables = [name for (name,) in log.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
assert sorted(tables) == sorted(general + [f'{of}_{kind}' for of, kind in special]), tables
for of, kind in special:
    columns = info(f'{of}_{kind}')
    assert columns['ocel_time'][2] == 'TIMESTAMP' and 'ocel_id' in columns
    assert refers(f'{of}_{kind}') == [('ocel_id', of, 'ocel_id')]
    if of == 'event': assert keys(f'event_{kind}') == ['ocel_id']
    else: assert 'ocel_changed_field' in columns
for of in ('event', 'object'):
    assert keys(of) == ['ocel_id'] and keys(f'{of}_map_type') == ['ocel_type']
    assert refers(of) == [('ocel_type', f'{of}_map_type', 'ocel_type')]
assert keys('event_object') == ['ocel_event_id', 'ocel_object_id', 'ocel_qualifier']
assert keys('object_object') == ['ocel_qualifier', 'ocel_source_id', 'ocel_target_id']
assert refers('event_object') == [('ocel_event_id', 'event', 'ocel_id'), ('ocel_object_id', 'object', 'ocel_id')]
assert refers('object_object') == [('ocel_source_id', 'object', 'ocel_id'), ('ocel_target_id', 'object', 'ocel_id')]
print(json.dumps(log.execute('SELECT count(*) FROM event').fetchone()))`;
    exported((directory, events) => {
      expect(pythonPrints(program, join(directory, 'log.ocel.sqlite'))).to.deep.equal([events.length]);
    }, FEW)();
  });

  itWith([pythonWith('pm4py')], 'is read by pm4py without a warning', () => {
    const program = `
import json, sys, pm4py
log = pm4py.read_ocel2_sqlite(sys.argv[1])
print(json.dumps(sorted(log.events['ocel:eid'].tolist())))`;
    exported((directory) => {
      const related = query(directory, 'SELECT DISTINCT ocel_event_id FROM event_object ORDER BY 1').flat();
      expect(pythonPrints(program, join(directory, 'log.ocel.sqlite'))).to.include.members(related);
    }, FEW)();
  });

  it(
    'has as attributes of objects what events tell of them, and nothing of the events',
    exported((directory) => {
      const columns = (kind: string) => query(directory, `SELECT name FROM pragma_table_info('object_${kind}')`).flat();
      const own = ['ocel_id', 'ocel_time', 'ocel_changed_field'];
      const statuses = ['officeStatus', 'hiringStatus', 'professionalStatus'];
      expect(columns('candidate')).to.deep.equal([...own, 'resumeId', ...statuses, 'isShortlisted', 'interviewAt']);
      expect(columns('specialty')).to.deep.equal([...own, 'name', 'procedures', 'procedureIds']);
    }, 1),
  );

  it(
    'has a table for each type of events',
    exported((directory) => {
      expect(query(directory, 'SELECT ocel_type FROM event_map_type').flat()).to.have.members(
        eventDefinitions.map(({ type }) => type),
      );
    }, 1),
  );
});

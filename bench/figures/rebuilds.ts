import { copyFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Type, type Static } from '../../src/schema/typebox.ts';
import { postingCandidates } from '../../projections/posting-candidates.ts';
import type { Context, World } from '../context.ts';
import { EMMETT, SERVICE, type Contender, type FigureGroup, type Measure, type Target } from '../figure.ts';
import { askOnce, projectorHeap } from '../processes/child.ts';
import { formatNumber } from '../report/format.ts';
import { isPeerThere, loadedPeer, runPeer } from '../processes/peer.ts';

const RAW = 'read and JSON.parse';
const PEER = `${EMMETT}, a tenth of the events`;
const A_TENTH = `${SERVICE}, a tenth of the events`;

const measures: readonly Measure[] = [
  { name: 'perSecond', title: 'events/s', digits: 0 },
  { name: 'seconds', title: 'seconds', digits: 2 },
  { name: 'memoryMb', title: 'peak resident, MB', digits: 0 },
];

const Read = Type.Object({ events: Type.Integer(), seconds: Type.Number(), memoryMb: Type.Number() });
const Rebuilt = Type.Object({ ...Read.properties, documents: Type.Integer() });

const sampleOf = ({ events, seconds, memoryMb }: Static<typeof Read>) => ({
  perSecond: events / seconds,
  seconds,
  memoryMb,
});

const refuseFewer = (what: string, found: number, expected: number): void => {
  if (found !== expected) throw new Error(`${what}: ${found} in all; allowed: ${expected}`);
};

/** Each rebuild has new read models, and a process of its own. */
const rebuilding = (
  name: string,
  { directory, population }: World,
  scratch: Context['scratch'],
  projection?: string,
): Contender => ({
  name,
  async measure() {
    const place = await scratch();
    const rebuilt = await askOnce(
      'rebuild',
      { eventsFile: join(directory, 'events.db'), readModelsFile: join(place, 'read-models.db'), projection },
      Rebuilt,
      projectorHeap('sqlite'),
    );
    await rm(place, { recursive: true });
    refuseFewer('Documents of candidates', rebuilt.documents, population.candidates);
    refuseFewer('Events', rebuilt.events, population.events);
    return sampleOf(rebuilt);
  },
});

const reading = ({ directory, population }: World): Contender => ({
  name: RAW,
  async measure() {
    const read = await askOnce('read-raw', { eventsFile: join(directory, 'events.db') }, Read);
    refuseFewer('Events', read.events, population.events);
    return sampleOf(read);
  },
});

const PeerRebuilt = Type.Object({
  events: Type.Integer(),
  seconds: Type.Number(),
  documents: Type.Integer(),
  /** Of 2^20 bytes. */
  peakRssMb: Type.Number(),
});

const peerRebuilding = (world: World, file: string, scratch: Context['scratch']): Contender => ({
  name: PEER,
  async measure() {
    const place = await scratch();
    await copyFile(file, join(place, 'emmett.db'));
    const rebuilt = await runPeer('rebuild.js', [join(place, 'emmett.db')], PeerRebuilt);
    await rm(place, { recursive: true });
    refuseFewer("Emmett's documents", rebuilt.documents, world.population.candidates);
    const { events, seconds, peakRssMb } = rebuilt;
    refuseFewer("Emmett's events", events, world.population.events);
    return sampleOf({ events, seconds, memoryMb: (peakRssMb * 2 ** 20) / 1e6 });
  },
});

/** Against reading alone, and in memory. */
const targetsOf = (must: number, aim: number): Target[] => [
  {
    says: 'events a second, as a share of reading and parsing alone',
    measure: 'perSecond',
    of: SERVICE,
    against: RAW,
    must: { atLeast: must },
    aim: { atLeast: aim },
  },
  { says: 'peak resident memory, MB', measure: 'memoryMb', of: SERVICE, must: { atMost: 300 } },
  {
    says: 'peak resident memory, as a multiple of that with a tenth of the events',
    measure: 'memoryMb',
    of: SERVICE,
    against: A_TENTH,
    must: { atMost: 1.2 },
  },
];

const baseline =
  'Baseline: a process that reads every column of every event of the same file and parses what is JSON, and does nothing with it.';

export const rebuildOne: FigureGroup = {
  name: 'rebuild-one',
  title: 'Rebuilding one projection',
  about: [
    `\`${postingCandidates.name}\` from nothing to the head of the event log, by the service's own projector, in a new process each time: from opening the files until the last event is in the read model. After each rebuild the benchmark checks that every candidate has a document.`,
    `${baseline} And the same projection on Emmett (\`bench/peers/README.md\`) with a tenth of the events, which favours it where more events make it slower.`,
  ],
  measures,
  isDefault: true,
  async *figures({ settings: { events }, world, scratch, say }) {
    const [large, small] = [await world(events), await world(Math.round(events / 10))];
    const peer = isPeerThere() ? [peerRebuilding(small, await loadedPeer(small.directory, say), scratch)] : [];
    yield {
      name: `${postingCandidates.name}, ${formatNumber(large.population.events, 0)} events`,
      contenders: [
        rebuilding(SERVICE, large, scratch, postingCandidates.name),
        rebuilding(A_TENTH, small, scratch, postingCandidates.name),
        reading(large),
        ...peer,
      ],
      targets: [
        ...targetsOf(0.35, 0.5),
        {
          says: "events a second, as a multiple of Emmett's",
          measure: 'perSecond',
          of: SERVICE,
          against: PEER,
          must: { atLeast: 10 },
        },
      ],
      warmsUp: false,
    };
  },
};

export const rebuildAll: FigureGroup = {
  name: 'rebuild-all',
  title: 'Rebuilding all projections',
  about: ['All projections in one pass, otherwise as above.'],
  measures,
  isDefault: true,
  async *figures({ settings: { events }, world, scratch }) {
    const [large, small] = [await world(events), await world(Math.round(events / 10))];
    yield {
      name: `all projections, ${formatNumber(large.population.events, 0)} events`,
      contenders: [rebuilding(SERVICE, large, scratch), rebuilding(A_TENTH, small, scratch), reading(large)],
      targets: targetsOf(0.17, 0.25),
      warmsUp: false,
    };
  },
};

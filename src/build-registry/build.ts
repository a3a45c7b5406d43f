import { Type, type Static } from 'typebox';
import { Timestamp, object } from '../schema/schema.ts';

/** A document in which two builds differ, and where: `row.title`, with what each holds there. */
export const Difference = object({
  collection: Type.String(),
  id: Type.String(),
  /** Paths of the members that differ; none where only one of the builds has the document. */
  fields: Type.Array(object({ path: Type.String(), live: Type.String(), built: Type.String() })),
  /** Which of the builds has it. */
  isIn: Type.Enum(['live', 'built', 'both']),
});
export type Difference = Static<typeof Difference>;

/** What comparing a build with the live one has shown. */
export const Verification = object({
  at: Timestamp,
  position: Type.String(),
  /** How many documents each has. */
  live: Type.Integer(),
  built: Type.Integer(),
  /** SHA-256 over all documents, by collection and id. */
  liveHash: Type.String(),
  builtHash: Type.String(),
  total: Type.Integer({ description: 'How many documents differ.' }),
  differences: Type.Array(Difference, { description: 'The first of them.' }),
});
export type Verification = Static<typeof Verification>;

/** What an operator wants done about a parked stream: its event tried again, or left out. */
export const Release = object({
  /** Grows with every release of the build. */
  number: Type.Integer(),
  stream: Type.String(),
  /** Of the event at which the stream was parked. */
  revision: Type.Integer(),
  /** The id of that event: in a log that was put back another may stand in its place. */
  event: Type.String(),
  kind: Type.Enum(['retry', 'skip']),
});
export type Release = Static<typeof Release>;

/** So many are remembered of a build; more than there are parked streams. */
export const MAX_RELEASES = 1_000;

/**
 * What is done with a build next. `build`: its events are folded, up to the head of the log. `verify`: it is compared with
 * the live one. `differs`: it was, and somebody must decide. `stopped`: an event cannot be applied. `ready`: it is complete, live
 * or kept. `discarded`: nobody wants it any more.
 */
export const Step = Type.Enum(['build', 'verify', 'differs', 'stopped', 'ready', 'discarded']);
export type Step = Static<typeof Step>;

/** One set of a projection's documents, in collections of its own. */
export const Build = object({
  /** As `buildId` gives it: `<projection>@<version>.<number>`. */
  id: Type.String(),
  /** Of the projection's code. */
  version: Type.Integer(),
  step: Step,
  /** Whether it takes the live one's place, or is only compared with it. */
  purpose: Type.Enum(['serve', 'check']),
  startedAt: Timestamp,
  /** Events a second at most; null: as fast as it goes. */
  throttle: Type.Union([Type.Integer({ minimum: 1 }), Type.Null()]),
  /** So many threads apply events to what is built together; left out: as many as the machine is good for. */
  threads: Type.Optional(Type.Integer({ minimum: 1 })),
  /** How long the one it replaces is kept. */
  keepHours: Type.Number({ minimum: 0 }),
  /** Whether it takes that place even where it differs. */
  isApproved: Type.Boolean(),
  /** Whether an event that cannot be applied stops it, or only its stream. */
  isStrict: Type.Boolean(),
  /** Why it stopped; null unless it did. */
  stoppedBy: Type.Union([Type.String(), Type.Null()]),
  /** Of parked streams, the last ones; done or not, as what is parked tells. */
  releases: Type.Array(Release),
  /** How far it has come through the log. */
  progress: Type.Union([
    object({ events: Type.Integer(), of: Type.Integer(), perSecond: Type.Number() }),
    Type.Null(),
  ]),
  /** What came of it when it was compared with the live one. */
  verification: Type.Union([Verification, Type.Null()]),
  /** When it may be dropped; null: not by itself. */
  keptUntil: Type.Union([Timestamp, Type.Null()]),
});
export type Build = Static<typeof Build>;

/** The id of a build. */
export const buildId = (projection: string, version: number, number: number): string =>
  `${projection}@${version}.${number}`;

/** The name of the projection of a build; what is no build's id is given back as it is. */
export const projectionOfBuild = (id: string): string => {
  const at = id.lastIndexOf('@');
  return at === -1 ? id : id.slice(0, at);
};

/** What is known and decided of one projection. */
export const Entry = object({
  name: Type.String(),
  /** The id of the build that is served. */
  live: Type.String(),
  builds: Type.Array(Build),
  /** For the next build's id. */
  nextNumber: Type.Integer(),
  paused: Type.Union([object({ since: Timestamp, by: Type.String() }), Type.Null()]),
  /** Events a second that the last whole build came to. */
  perSecond: Type.Union([Type.Number(), Type.Null()]),
  /** The last comparison: it outlives a build that was made only for that, which is dropped. */
  verified: Type.Union([object({ build: Type.String(), report: Verification }), Type.Null()]),
});
export type Entry = Static<typeof Entry>;

/** What somebody asks of a rebuild. */
export type BuildOptions = Pick<Build, 'throttle' | 'threads' | 'keepHours' | 'isApproved' | 'isStrict'>;

/** How long a build is kept that was replaced, unless somebody says otherwise. */
export const KEEP_HOURS = 24;
export const MOST_KEEP_HOURS = 8_760;

/** Each is one more heap. */
export const MAX_THREADS = 64;

/** Of a throttle: events a second. */
export const MOST_PER_SECOND = 10_000_000;

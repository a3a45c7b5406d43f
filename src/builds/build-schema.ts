import { Type, type Static } from '../schema/typebox.ts';
import { StreamRelease } from '../projector/release.ts';
import { Timestamp, object } from '../schema/schema.ts';

/** A document in which two builds differ. */
export const DocumentDifference = object(
  {
    collection: Type.String(),
    id: Type.String(),
    /** The members that differ, by path such as `row.title`; none where only one build has the document. */
    fields: Type.Array(
      object({ path: Type.String(), live: Type.String(), built: Type.String() }, { title: 'MemberDifference' }),
    ),
    isIn: Type.Enum(['live', 'built', 'both'], { title: 'DifferenceSide' }),
  },
  { title: 'DocumentDifference' },
);
export type DocumentDifference = Static<typeof DocumentDifference>;

/** The outcome of comparing a build with the active one. */
export const Verification = object(
  {
    at: Timestamp,
    position: Type.String(),
    /** How many documents each build has. */
    live: Type.Integer(),
    built: Type.Integer(),
    liveHash: Type.String({ deprecated: true }),
    builtHash: Type.String({
      deprecated: true,
      description: '`liveHash` where all documents are the same: `total` and `uncompared` say more.',
    }),
    total: Type.Integer({ description: 'How many documents differ.' }),
    /** Left out where it is none. */
    uncompared: Type.Optional(
      Type.Integer({ description: 'How many documents seemed to differ, and could not be compared at one position.' }),
    ),
    differences: Type.Array(DocumentDifference, { description: 'The first of them.' }),
  },
  { title: 'Verification' },
);
export type Verification = Static<typeof Verification>;

/** Whether a comparison has shown that the builds are the same. */
export const isProvenSame = ({ total, uncompared = 0 }: Verification): boolean => total === 0 && uncompared === 0;

/** How many releases of a build are kept; more than there are parked streams. */
export const MAX_RELEASES = 1_000;

/**
 * The state of a build. `build`: events are applied. `verify`: it is compared with the active build. `differs`: it
 * does, and an operator must decide. `stopped`: by a poison event. `ready`: it is complete, active or standby.
 * `discarded`: its documents are to be dropped.
 */
export const BuildStep = Type.Enum(['build', 'verify', 'differs', 'stopped', 'ready', 'discarded'], {
  title: 'BuildStep',
});
export type BuildStep = Static<typeof BuildStep>;

/** One set of a projection's documents, in collections of its own. */
export const Build = object({
  /** As `buildId` gives it: `<projection>@<version>.<number>`. */
  id: Type.String(),
  /** Of the projection's code. */
  version: Type.Integer(),
  step: BuildStep,
  /** Whether it is to replace the active build, or only to be compared with it (`check`), as `verify` asks for. */
  purpose: Type.Enum(['serve', 'check']),
  startedAt: Timestamp,
  /** Events a second at most; null: no limit. */
  throttle: Type.Union([Type.Integer({ minimum: 1 }), Type.Null()]),
  /** Threads that apply events to the projections built together; left out: as many as suit the machine. */
  threads: Type.Optional(Type.Integer({ minimum: 1 })),
  /** How long the build that it replaces is kept as a standby. */
  keepHours: Type.Number({ minimum: 0 }),
  /** Whether it replaces the active build even where it differs. */
  isApproved: Type.Boolean(),
  /** Whether a poison event stops the build, or only parks its stream. */
  isStrict: Type.Boolean(),
  /** Why it stopped; null unless it did. */
  stoppedBy: Type.Union([Type.String(), Type.Null()]),
  /** The last releases of parked streams; the parked streams themselves tell which are done. */
  releases: Type.Array(StreamRelease),
  progress: Type.Union([object({ events: Type.Integer(), of: Type.Integer(), perSecond: Type.Number() }), Type.Null()]),
  verification: Type.Union([Verification, Type.Null()]),
  /** When it may be dropped; null: not by itself. */
  keptUntil: Type.Union([Timestamp, Type.Null()]),
});
export type Build = Static<typeof Build>;

/** The build registry's record of one projection, as it is stored. */
export const StoredProjectionBuilds = object({
  name: Type.String(),
  /** The id of the active build, which is served. */
  live: Type.String(),
  builds: Type.Array(Build),
  /** For the next build's id. */
  nextNumber: Type.Integer(),
  paused: Type.Union([object({ since: Timestamp, by: Type.String() }), Type.Null()]),
  /** Events a second at which the last complete build was made. */
  perSecond: Type.Union([Type.Number(), Type.Null()]),
  /** The last comparison, kept after a build made only for it is dropped. */
  verified: Type.Union([object({ build: Type.String(), report: Verification }), Type.Null()]),
});
export type StoredProjectionBuilds = Static<typeof StoredProjectionBuilds>;
/** The record with the id of the active build as `active`. */
export type ProjectionBuilds = Omit<StoredProjectionBuilds, 'live'> & { readonly active: string };

/** What is known of a projection and its builds also over HTTP. */
export type BuildSummary = Pick<
  Build,
  'id' | 'version' | 'step' | 'purpose' | 'stoppedBy' | 'progress' | 'verification'
>;
export interface ProjectionBuildsSummary extends Pick<ProjectionBuilds, 'name' | 'active' | 'paused' | 'verified'> {
  readonly builds: readonly BuildSummary[];
}

/** What an operator asks of a rebuild. */
export type BuildOptions = Pick<Build, 'throttle' | 'threads' | 'keepHours' | 'isApproved' | 'isStrict'>;

/** How long a replaced build is kept, by default. */
export const DEFAULT_KEEP_HOURS = 24;
export const MAX_KEEP_HOURS = 8_760;

/** Each thread has a heap of its own. */
export const MAX_BUILD_THREADS = 64;

/** Of a throttle: events a second. */
export const MAX_THROTTLE_PER_SECOND = 10_000_000;

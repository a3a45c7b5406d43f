import type { Chance } from '../../support/seeded.ts';

/** An instance by its number, or the lease holder of a projection when the fault begins. */
export type Target = number | string;
export type ServerName = 'mongo' | 'eventStore';
/** When an instance is hit: at once, or when its next documents, or its next commit, are on their way to MongoDB. */
export type Moment = 'now' | 'documents' | 'commit';

export type Fault = { readonly atMs: number } & (
  | { readonly kind: 'kill'; readonly target: Target; readonly moment: Moment; readonly awayMs: number }
  | { readonly kind: 'pause'; readonly target: Target; readonly forMs: number }
  | {
      readonly kind: 'cut';
      readonly target: Target;
      readonly server: ServerName;
      readonly how: 'refused' | 'silent';
      readonly forMs: number | 'rest';
    }
  | {
      readonly kind: 'late';
      readonly target: Target;
      readonly moment: Exclude<Moment, 'now'>;
      /** Candidates that apply while the commit is held up. */
      readonly burst: number;
      readonly afterTakeOverMs: number;
    }
  | { readonly kind: 'server kill'; readonly server: ServerName; readonly awayMs: number }
  | { readonly kind: 'scavenge' }
  | { readonly kind: 'foreign'; readonly events: number; readonly isShortLived: boolean }
  | { readonly kind: 'gap'; readonly events: number }
);
export type FaultKind = Fault['kind'];
export type FaultOf<Kind extends FaultKind> = Extract<Fault, { kind: Kind }>;

const INSTANCES = 3;
const STARTS_WITHIN_MS = 2_500;
/** Longer than a lease, which runs out after 5 s. */
const [PAUSE_MS, PAUSE_SPREAD_MS] = [5_300, 2_000];
const LEASED = ['posting-candidates', 'professional-candidates', 'saved-postings'] as const;

const targetOf = (chance: Chance): Target => (chance.isTrue(0.6) ? chance.oneOf(LEASED) : chance.below(INSTANCES));

type Draw = (chance: Chance) => Fault;

const at = (chance: Chance) => ({ atMs: chance.below(STARTS_WITHIN_MS) });

const drawKill: Draw = (chance) => {
  const moment = chance.oneOf(['now', 'documents', 'commit'] as const);
  // Only lease holders commit.
  const target = moment === 'now' ? targetOf(chance) : chance.oneOf(LEASED);
  return { kind: 'kill', ...at(chance), target, moment, awayMs: chance.below(2_500) };
};
/** A crash between documents and position shows best with many documents. */
export const drawKillAtCommit: Draw = (chance) => ({
  kind: 'kill',
  ...at(chance),
  target: 'posting-candidates',
  moment: chance.oneOf(['documents', 'commit']),
  awayMs: chance.below(500),
});
const drawPause: Draw = (chance) => ({
  kind: 'pause',
  ...at(chance),
  target: targetOf(chance),
  forMs: PAUSE_MS + chance.below(PAUSE_SPREAD_MS),
});
const drawCut: Draw = (chance) => ({
  kind: 'cut',
  ...at(chance),
  target: targetOf(chance),
  server: chance.oneOf(['mongo', 'eventStore']),
  how: chance.oneOf(['refused', 'silent']),
  forMs: chance.isTrue(0.35) ? 'rest' : 300 + chance.below(6_000),
});
const drawLate: Draw = (chance) => ({
  kind: 'late',
  ...at(chance),
  target: chance.oneOf(LEASED),
  moment: chance.oneOf(['documents', 'commit']),
  burst: chance.oneOf([0, 200, 1_200]),
  afterTakeOverMs: chance.oneOf([0, 20, 100, 400, 1_500]),
});
const drawServerKill: Draw = (chance) => ({
  kind: 'server kill',
  ...at(chance),
  server: chance.oneOf(['mongo', 'eventStore']),
  awayMs: chance.below(2_000),
});
const drawScavenge: Draw = (chance) => ({ kind: 'scavenge', ...at(chance) });
const drawForeign: Draw = (chance) => ({
  kind: 'foreign',
  ...at(chance),
  events: chance.oneOf([1, 50, 700, 2_600]),
  isShortLived: chance.isTrue(0.7),
});

/** The faults, each with its weight. */
const DRAWS: readonly (readonly [number, Draw])[] = [
  [5, drawKill],
  [3, drawPause],
  [4, drawCut],
  [3, drawLate],
  [2, drawServerKill],
  [2, drawScavenge],
  [3, drawForeign],
];

const drawOne = (chance: Chance): Fault => {
  const total = DRAWS.reduce((sum, [weight]) => sum + weight, 0);
  let left = chance.below(total);
  const [, draw] = DRAWS.find(([weight]) => (left -= weight) < 0) ?? [0, drawKill];
  return draw(chance);
};

const GAP_SHARE = 0.1;
const isForRest = (fault: Fault): boolean => fault.kind === 'cut' && fault.forMs === 'rest';

/** In order of time. At most one connection stays cut for the rest of the run, so that another instance can go on. */
export const drawFaults = (chance: Chance): readonly Fault[] => {
  if (chance.isTrue(GAP_SHARE)) return [{ kind: 'gap', atMs: 500 + chance.below(1_000), events: 2_600 }];
  const drawn = Array.from({ length: 2 + chance.below(3) }, () => drawOne(chance));
  const lasting = drawn.find(isForRest);
  return drawn.filter((fault) => !isForRest(fault) || fault === lasting).sort((a, b) => a.atMs - b.atMs);
};

import type { Build, Entry, Verification } from './build.ts';
import { buildWith } from './entry.ts';

/** How a build came out. */
export type Outcome =
  | { readonly kind: 'served'; readonly report: Verification | undefined }
  | { readonly kind: 'compared' | 'differs'; readonly report: Verification }
  | { readonly kind: 'stopped'; readonly reason: string }
  | { readonly kind: 'cancelled' };

const reportOfForgotten = ({ verified }: Entry, id: string): Verification | undefined =>
  verified?.build === id ? verified.report : undefined;

/** Undefined while it is under way. */
export const outcomeOf = (entry: Entry, id: string): Outcome | undefined => {
  const build = buildWith(entry, id);
  // Its own, since another may have been compared later; of one that is forgotten only the entry still tells.
  const report = build ? (build.verification ?? undefined) : reportOfForgotten(entry, id);
  if (entry.live === id && build?.step === 'ready') return { kind: 'served', report };
  if (report && build?.step === 'differs') return { kind: 'differs', report };
  if (build?.step === 'stopped' || (entry.live === id && build?.stoppedBy != null))
    return { kind: 'stopped', reason: build.stoppedBy ?? '' };
  if (build && build.step !== 'discarded') return undefined;
  return report && build?.purpose !== 'serve' ? { kind: 'compared', report } : { kind: 'cancelled' };
};

/** What is told of a build that is under way. */
export interface BuildLine {
  readonly projection: string;
  readonly build: string;
  readonly step: Build['step'];
  readonly events: number;
  readonly of: number;
  readonly perSecond: number;
  readonly secondsLeft: number | null;
}

export const lineOf = (name: string, { id, step, progress }: Build): BuildLine => {
  const { events, of, perSecond } = progress ?? { events: 0, of: 0, perSecond: 0 };
  const secondsLeft = perSecond > 0 ? Math.round((of - events) / perSecond) : null;
  return { projection: name, build: id, step, events, of, perSecond, secondsLeft };
};

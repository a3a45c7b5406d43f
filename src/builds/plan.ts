import { Type, type Static } from '../schema/typebox.ts';
import { unavailable } from '../errors/domain-error.ts';
import type { EventLog, LogEventCounter } from '../event-store/port.ts';
import { withTimeout } from '../lib/with-timeout.ts';
import { typesApplied, type Projection } from '../projector/projection.ts';
import { nullable, object } from '../schema/schema.ts';
import type { ProjectionBuilds } from './build-schema.ts';

/** What a rebuild would apply, and how long that would take. */
export const RebuildPlan = object(
  {
    projection: Type.String(),
    version: Type.Integer({ description: 'Of the code that would build it.' }),
    live: nullable(Type.String({ description: 'The build that is served; null before the first.' })),
    events: Type.Integer({ description: 'How many events would be applied.' }),
    perSecond: nullable(Type.Number({ description: 'Events a second that the last whole build came to.' })),
    seconds: nullable(Type.Integer({ description: 'At that rate; null where it is not known.' })),
  },
  { title: 'RebuildPlan' },
);
export type RebuildPlan = Static<typeof RebuildPlan>;

type CountableLog = Pick<EventLog, 'head'> & Pick<LogEventCounter, 'countOf'>;

/** Plans the rebuild of a projection. @param record undefined before the first build */
export const planRebuild = async (
  projection: Projection,
  record: ProjectionBuilds | undefined,
  log: CountableLog,
): Promise<RebuildPlan> => {
  const events = await log.countOf(typesApplied([projection]), await log.head());
  const perSecond = record?.perSecond ?? null;
  return {
    projection: projection.name,
    version: projection.version,
    live: record?.active ?? null,
    events,
    perSecond,
    seconds: perSecond === null || perSecond === 0 ? null : Math.ceil(events / perSecond),
  };
};

/** Longer than most logs take to be counted, and less than clients wait. */
const PLAN_MS = 10_000;

/**
 * Makes plans for clients, who do not wait for ever: the events of a large log on a server take minutes to count.
 * Whoever asks meanwhile shares the count, and whoever asks next after it gets it.
 *
 * @param make makes the plan of a projection, by name
 */
export const createPlanSingleFlight = (make: (name: string) => Promise<RebuildPlan>, withinMs = PLAN_MS) => {
  const underWay = new Map<string, Promise<RebuildPlan>>();
  return async (name: string): Promise<RebuildPlan> => {
    const late = unavailable(`The events of ${name} are still being counted`, 10);
    const plan = underWay.get(name) ?? make(name);
    underWay.set(name, plan);
    try {
      const result = await withTimeout(plan, withinMs, late);
      underWay.delete(name);
      return result;
    } catch (error) {
      if (error !== late) underWay.delete(name);
      throw error;
    }
  };
};

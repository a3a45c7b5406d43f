import { until } from './until.ts';
import { projectionsOf, request, type Parked, type ProjectionTold } from './admin.ts';
import type { PoisonRecord } from './poison.ts';
import type { PoisonPlan } from './poison-plan.ts';
import type { Stage } from './stage.ts';
import type { Story } from './story.ts';

const SETTLED_WITHIN_MS = 30_000;

interface ParkedIn extends Parked {
  readonly projection: string;
  readonly build: string;
}

const parkedIn = (told: readonly ProjectionTold[]): ParkedIn[] =>
  told.flatMap(({ name, builds }) =>
    builds.flatMap(({ id, quarantined }) => quarantined.map((each) => ({ ...each, projection: name, build: id }))),
  );

const nameOf = ({ projection, stream }: Pick<ParkedIn, 'projection' | 'stream'>): string => `${projection} ${stream}`;
const inWords = ({ build, stream, revision, type, error }: ParkedIn): string =>
  `${stream} of ${build} at ${type} ${revision}: ${error}`;

/** The parked streams, once no retry and no skip is pending. */
const parkedWhenSettled = async (stage: Stage): Promise<readonly ParkedIn[]> => {
  let parked: readonly ParkedIn[] = [];
  await until(
    'what was asked for about parked streams is done',
    async () => {
      parked = parkedIn(await projectionsOf(stage.instances));
      return parked.every(({ request: asked }) => asked === 'none');
    },
    SETTLED_WITHIN_MS,
  );
  return parked;
};

/** Expects only the plan's poison events to park streams, and no stream whose retry was accepted after the fix. */
const expectPoisonedOnly = (parked: readonly ParkedIn[], plan: PoisonPlan, { retried }: PoisonRecord): void => {
  const poisoned = new Set([
    ...plan.faulty.map(nameOf),
    ...plan.spoiled.flatMap(({ projections, stream }) =>
      projections.map((projection) => nameOf({ projection, stream })),
    ),
  ]);
  const strange = parked.filter((each) => !poisoned.has(nameOf(each)));
  if (strange.length > 0) throw new Error(`Parked without poison: ${strange.map(inWords).join('; ')}`);
  const again = parked.filter((each) => retried.has(nameOf(each)));
  if (again.length > 0)
    throw new Error(`Parked though it was retried after it was mended: ${again.map(inWords).join('; ')}`);
};

/**
 * Retries streams of fixed handlers, and skips events that no handler can apply, until no stream is parked.
 *
 * @throws Error for a stream that is parked and should not be
 */
export const unpark = async (stage: Stage, plan: PoisonPlan, record: PoisonRecord, story: Story): Promise<void> => {
  const [first] = stage.instances;
  if (!first) throw new Error('There is no instance');
  expectPoisonedOnly(await parkedWhenSettled(stage), plan, record);
  const spoiled = new Set(plan.spoiled.map(({ stream }) => stream));
  await until(
    'nothing is parked',
    async () => {
      const parked = await parkedWhenSettled(stage);
      for (const { projection, stream } of parked) {
        const act = spoiled.has(stream) ? 'skip' : 'retry';
        const answer = await request(first, act, projection, { stream });
        story.tell(`at the end, ${act} of ${stream} in ${projection}: ${answer?.reply.status ?? 'no answer'}`);
      }
      return parked.length === 0;
    },
    SETTLED_WITHIN_MS,
  );
};

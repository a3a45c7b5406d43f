import { setTimeout as delay } from 'node:timers/promises';
import { until } from './until.ts';
import { projectionsOf, request, type ProjectionTold } from './admin.ts';
import type { Stage } from './stage.ts';

const BUILT_WITHIN_MS = 90_000;
const BEGUN_WITHIN_MS = 15_000;
const LOOK_MS = 200;
const PROJECTIONS = [
  'posting-candidates',
  'professional-candidates',
  'saved-postings',
  'professional-profiles',
  'specialties',
] as const;

/** How the projections stand, asked once for all that wait for it, and not too often. */
type Overview = () => Promise<readonly ProjectionTold[]>;
const overviewOf = ({ instances }: Stage): Overview => {
  let next: Promise<readonly ProjectionTold[]> | undefined;
  return () =>
    (next ??= delay(LOOK_MS).then(() => {
      next = undefined;
      return projectionsOf(instances);
    }));
};

/** Has an instance begin something, and gives the id of the build. */
const begin = async (
  stage: Stage,
  act: 'verify' | 'rebuild',
  projection: string,
  body: object = {},
): Promise<string> => {
  let build = '';
  const isBegun = async () => {
    for (const instance of stage.instances) {
      const answer = await request(instance, act, projection, body);
      if (answer && !answer.isDone)
        throw new Error(`${answer.reply.status} ${JSON.stringify(answer.reply.body)}`);
      if (!answer) continue;
      ({ build } = answer.reply.body as { readonly build: string });
      return true;
    }
    return false;
  };
  await until(`${act} of ${projection} is begun`, isBegun, BEGUN_WITHIN_MS);
  return build;
};

/** What an instance tells of a projection once something holds of it. */
const toldWhen = async (
  overview: Overview,
  projection: string,
  what: string,
  holds: (told: ProjectionTold) => boolean | Promise<boolean>,
): Promise<ProjectionTold> => {
  const end = performance.now() + BUILT_WITHIN_MS;
  for (;;) {
    const found = (await overview()).find(({ name }) => name === projection);
    if (found && (await holds(found))) return found;
    if (performance.now() > end)
      throw new Error(
        `In ${BUILT_WITHIN_MS} ms it did not come to be that ${what}: ${JSON.stringify(found)}`,
      );
  }
};

const expectSame = (projection: string, build: string, { verified, builds }: ProjectionTold): void => {
  const stopped = builds.find(({ id }) => id === build)?.stoppedBy;
  if (stopped != null) throw new Error(`The rebuild of ${projection} has stopped: ${stopped}`);
  const { total = NaN, differences = [] } = verified?.report ?? {};
  if (total !== 0)
    throw new Error(
      `${projection} differs from a rebuild in ${total} documents: ${JSON.stringify(differences).slice(0, 3_000)}`,
    );
};

const verifyOne = async (stage: Stage, overview: Overview, projection: string): Promise<void> => {
  const build = await begin(stage, 'verify', projection);
  const told = await toldWhen(
    overview,
    projection,
    `${projection} is compared with a rebuild`,
    ({ verified, builds }) =>
      verified?.build === build || builds.some(({ id, state }) => id === build && state === 'stopped'),
  );
  expectSame(projection, build, told);
};

/**
 * The same where events were skipped, which a rebuild meets again: they are skipped in the rebuild too, before what it has
 * come to is compared with what is served.
 */
const rebuildSkipping = async (stage: Stage, overview: Overview, projection: string): Promise<void> => {
  const build = await begin(stage, 'rebuild', projection, { tolerant: true });
  const built = ({ live, builds }: ProjectionTold) =>
    live === build || builds.some(({ id, state }) => id === build && ['differs', 'stopped'].includes(state));
  await toldWhen(overview, projection, `${projection} is rebuilt`, built);
  const told = await toldWhen(
    overview,
    projection,
    `the rebuild of ${projection} has skipped`,
    async ({ builds }) => {
      const parked = builds.flatMap(({ quarantined }) => quarantined);
      for (const { stream, request: asked } of parked) {
        const [instance] = stage.instances;
        if (asked === 'none' && instance) await request(instance, 'skip', projection, { stream });
      }
      return parked.length === 0;
    },
  );
  const before = told.verified?.report;
  if (told.live !== build) await begin(stage, 'rebuild', projection, { tolerant: true, approve: true });
  const after = await toldWhen(
    overview,
    projection,
    `the rebuild of ${projection} is compared again`,
    ({ live, verified }) =>
      live === build && (before === undefined || before.total === 0 || verified !== null),
  );
  expectSame(projection, build, after);
};

const verifyByCli = async (stage: Stage): Promise<void> => {
  const { code, stdout, stderr } = await stage.run('projections', 'verify', '--all');
  if (code !== 0)
    throw new Error(`hiring projections verify --all ends with ${String(code)}: ${stdout}${stderr}`);
};

/**
 * What is served of each projection is what a rebuild from the event log comes to.
 *
 * @param skipping projections in which events were skipped
 */
export const expectAsRebuilt = async (
  stage: Stage,
  skipping: ReadonlySet<string>,
  isByCli: boolean,
): Promise<void> => {
  if (isByCli && skipping.size === 0) {
    await verifyByCli(stage);
    return;
  }
  const overview = overviewOf(stage);
  await Promise.all(
    PROJECTIONS.map((projection) =>
      skipping.has(projection)
        ? rebuildSkipping(stage, overview, projection)
        : verifyOne(stage, overview, projection),
    ),
  );
};

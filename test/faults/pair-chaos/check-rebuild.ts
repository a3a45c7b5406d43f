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

/** The state of the projections; concurrent checks share one request, which is delayed to spare the instances. */
type Overview = () => Promise<readonly ProjectionTold[]>;
const overviewOf = ({ instances }: Stage): Overview => {
  let next: Promise<readonly ProjectionTold[]> | undefined;
  return () =>
    (next ??= delay(LOOK_MS).then(() => {
      next = undefined;
      return projectionsOf(instances);
    }));
};

/** Has an instance begin a rebuild or a verification; gives the id of the build. */
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
      if (answer && !answer.isDone) throw new Error(`${answer.reply.status} ${JSON.stringify(answer.reply.body)}`);
      if (!answer) continue;
      ({ build } = answer.reply.body as { readonly build: string });
      return true;
    }
    return false;
  };
  await until(`${act} of ${projection} is begun`, isBegun, BEGUN_WITHIN_MS);
  return build;
};

/** What an instance reports of a projection once a condition holds. */
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
      throw new Error(`In ${BUILT_WITHIN_MS} ms it did not come to be that ${what}: ${JSON.stringify(found)}`);
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
 * The same for a projection with skipped events: the standby build parks at them again, so they are skipped there too
 * before it is compared with the active build.
 */
const rebuildSkipping = async (stage: Stage, overview: Overview, projection: string): Promise<void> => {
  const build = await begin(stage, 'rebuild', projection, { tolerant: true });
  const built = ({ live, builds }: ProjectionTold) =>
    live === build || builds.some(({ id, state }) => id === build && ['differs', 'stopped'].includes(state));
  await toldWhen(overview, projection, `${projection} is rebuilt`, built);
  const told = await toldWhen(overview, projection, `the rebuild of ${projection} has skipped`, async ({ builds }) => {
    const parked = builds.flatMap(({ quarantined }) => quarantined);
    for (const { stream, request: asked } of parked) {
      const [instance] = stage.instances;
      if (asked === 'none' && instance) await request(instance, 'skip', projection, { stream });
    }
    return parked.length === 0;
  });
  const before = told.verified?.report;
  if (told.live !== build) await begin(stage, 'rebuild', projection, { tolerant: true, approve: true });
  const after = await toldWhen(
    overview,
    projection,
    `the rebuild of ${projection} is compared again`,
    ({ live, verified }) => live === build && (before === undefined || before.total === 0 || verified !== null),
  );
  expectSame(projection, build, after);
};

const verifyByCli = async (stage: Stage): Promise<void> => {
  const { code, stdout, stderr } = await stage.run('projections', 'verify', '--all');
  if (code !== 0) throw new Error(`hiring projections verify --all ends with ${String(code)}: ${stdout}${stderr}`);
};

/**
 * Expects that the active build of each projection matches a rebuild from the event log.
 *
 * @param skipping projections of which events were skipped
 */
export const expectAsRebuilt = async (stage: Stage, skipping: ReadonlySet<string>, isByCli: boolean): Promise<void> => {
  if (isByCli && skipping.size === 0) {
    await verifyByCli(stage);
    return;
  }
  const overview = overviewOf(stage);
  await Promise.all(
    PROJECTIONS.map((projection) =>
      skipping.has(projection) ? rebuildSkipping(stage, overview, projection) : verifyOne(stage, overview, projection),
    ),
  );
};

import { Type, type Static, type TProperties } from '../schema/typebox.ts';
import { admin } from '../access/access.ts';
import { defineAdminOperation, type AdminApiDefinition, type ServerSentEvents } from './admin-operation.ts';
import { invalidAt, type Reason } from '../errors/domain-error.ts';
import { Identifier, nullable, object, text } from '../schema/schema.ts';
import { KEEP_HOURS, MAX_KEEP_HOURS, MAX_PER_SECOND, type RegistryRecord } from './build-schema.ts';
import { listActs } from './list-acts.ts';
import type { BegunBuild, ProjectionOperations } from './operations.ts';
import { Pause, ProjectionOverview } from './overview.ts';
import { RebuildPlan } from './plan.ts';
import { ServiceOverview } from './service.ts';

const params = object({ name: Identifier });
const nothing = object({});
const throttle = Type.Optional(
  Type.Integer({ minimum: 1, maximum: MAX_PER_SECOND, description: 'Events a second at most.' }),
);
const stream = text(300, { minLength: 1, description: 'A parked stream.' });

/** An operation that changes the active build, or is hard to undo, must name the projection once more. */
const confirmed = <P extends TProperties>(properties: P) =>
  object({
    confirm: text(200, { description: "The projection's name again." }),
    reason: Type.Optional(
      text(500, {
        minLength: 1,
        description: 'Why; it is recorded with the act.',
        examples: ['After a fix'],
      }),
    ),
    ...properties,
  });

const confirm = (name: string, given: string): void => {
  if (given !== name) throw invalidAt('body/confirm', `must be the name of the projection, ${name}`);
};

const AT_WORK = object(
  {
    projection: Type.String(),
    build: Type.String({ description: 'The id of the build that was begun, or gone on with.' }),
  },
  { title: 'BegunBuild' },
);

const toBegun = ([begun]: readonly BegunBuild[]): Static<typeof AT_WORK> => {
  if (!begun) throw new Error('No build was begun');
  return { projection: begun.name, build: begun.build };
};

const AFTER = object(
  {
    projection: Type.String(),
    live: Type.String({ description: 'The build that is served.' }),
    paused: nullable(Pause),
    waitingStreams: Type.Integer({ description: 'Parked streams, of all builds.' }),
  },
  { title: 'ChangedProjection' },
);

const onOne = { method: 'POST', access: admin, params } as const;
/** Of operations that answer before the build is made. */
const begins = { ...onOne, status: 202, response: AT_WORK } as const;
/** Of operations that answer with what they have changed. */
const changes = { ...onOne, status: 200, response: AFTER } as const;

const toAfter = async (
  { name, active, paused, builds }: RegistryRecord,
  { parked }: Pick<ProjectionOperations, 'parked'>,
): Promise<Static<typeof AFTER>> => {
  const streams = await parked();
  const waitingStreams = builds.reduce((sum, { id }) => sum + (streams.get(id)?.parked.length ?? 0), 0);
  return { projection: name, live: active, paused, waitingStreams };
};

const reads = { method: 'GET', access: admin, body: nothing, status: 200 } as const;

export const listProjections = defineAdminOperation({
  name: 'listProjections',
  summary: 'Show where every build of every projection stands, and how the service is',
  ...reads,
  path: '/admin/projections',
  params: nothing,
  response: object(
    { data: Type.Array(ProjectionOverview), service: ServiceOverview },
    { title: 'ProjectionList' },
  ),
  refusals: [],
  async act(_request, { overview, service }) {
    const [data, own] = await Promise.all([overview(), service()]);
    return { data, service: own };
  },
});

export const planRebuild = defineAdminOperation({
  name: 'planRebuild',
  summary: 'Tell how many events a rebuild would apply, and how long that would take',
  ...reads,
  path: '/admin/projections/:name/plan',
  params,
  response: RebuildPlan,
  refusals: ['not-found'],
  async act({ params: { name } }, { operations, plan }) {
    operations.refuseUnknown([name]);
    return plan(name);
  },
});

export const rebuildProjection = defineAdminOperation({
  name: 'rebuildProjection',
  summary: 'Build a projection anew beside what is served, compare, and serve what was built',
  ...begins,
  path: '/admin/projections/:name/rebuild',
  body: confirmed({
    throttle,
    keepHours: Type.Optional(
      Type.Number({
        minimum: 0,
        maximum: MAX_KEEP_HOURS,
        description: `How long what it replaces is kept; ${KEEP_HOURS} by default.`,
      }),
    ),
    approve: Type.Optional(Type.Boolean({ description: 'Serve it even where it differs.' })),
    tolerant: Type.Optional(
      Type.Boolean({
        description: 'Go on where an event cannot be applied: only its stream is parked.',
      }),
    ),
  }),
  refusals: ['not-found', 'conflict'],
  async act({ params: { name }, body }, { operations }) {
    confirm(name, body.confirm);
    const begun = await operations.rebuild([name], {
      throttle: body.throttle ?? null,
      keepHours: body.keepHours ?? KEEP_HOURS,
      isApproved: body.approve ?? false,
      isStrict: !(body.tolerant ?? false),
    });
    return toBegun(begun);
  },
});

export const verifyProjection = defineAdminOperation({
  name: 'verifyProjection',
  summary: 'Compare what is served with a rebuild from the log, which is dropped again',
  ...begins,
  path: '/admin/projections/:name/verify',
  body: object({ throttle }),
  refusals: ['not-found', 'conflict'],
  act: async ({ params: { name }, body }, { operations }) =>
    toBegun(await operations.verify([name], body.throttle ?? null)),
});

export const rollBackProjection = defineAdminOperation({
  name: 'rollBackProjection',
  summary: 'Serve the build again that was served before',
  ...changes,
  path: '/admin/projections/:name/rollback',
  body: confirmed({
    to: Type.Optional(
      text(200, {
        minLength: 1,
        description: 'The id of the build that is to be served: the same request again changes nothing then.',
      }),
    ),
  }),
  refusals: ['not-found', 'conflict'],
  async act({ params: { name }, body }, { operations }) {
    confirm(name, body.confirm);
    return toAfter(await operations.rollBack(name, body.to), operations);
  },
});

export const retryQuarantined = defineAdminOperation({
  name: 'retryQuarantined',
  summary: 'Have parked streams applied again, all or one',
  ...changes,
  path: '/admin/projections/:name/retry',
  body: object({ stream: Type.Optional(stream) }),
  refusals: ['not-found', 'conflict'],
  act: async ({ params: { name }, body }, { operations }) =>
    toAfter(await operations.retry(name, body.stream), operations),
});

export const skipQuarantined = defineAdminOperation({
  name: 'skipQuarantined',
  summary: 'Leave out the event at which a stream is parked, and apply what comes after it',
  ...changes,
  path: '/admin/projections/:name/skip',
  body: confirmed({ stream }),
  refusals: ['not-found', 'conflict'],
  async act({ params: { name }, body }, { operations }) {
    confirm(name, body.confirm);
    return toAfter(await operations.skip(name, body.stream), operations);
  },
});

export const resumeProjection = defineAdminOperation({
  name: 'resumeProjection',
  summary: 'Go on applying a projection where it was paused',
  ...changes,
  path: '/admin/projections/:name/resume',
  body: nothing,
  refusals: ['not-found'],
  act: async ({ params: { name } }, { operations }) => toAfter(await operations.resume(name), operations),
});

/** An operation that takes nothing but the confirmation. */
const confirmedAct = (
  path: string,
  name: string,
  summary: string,
  refusals: readonly Reason[],
  change: (projection: string, operations: ProjectionOperations, actor: string) => Promise<RegistryRecord>,
) =>
  defineAdminOperation({
    name,
    summary,
    ...changes,
    path: `/admin/projections/:name/${path}`,
    body: confirmed({}),
    refusals,
    async act({ params: { name: projection }, body, actor }, { operations }) {
      confirm(projection, body.confirm);
      return toAfter(await change(projection, operations, actor), operations);
    },
  });

export const cancelBuilds = confirmedAct(
  'cancel',
  'cancelBuilds',
  'Give up what is under way beside what is served',
  ['not-found', 'conflict'],
  (name, operations) => operations.cancel(name),
);

export const pauseProjection = confirmedAct(
  'pause',
  'pauseProjection',
  'Apply nothing of a projection any more, on any instance, until it is resumed',
  ['not-found'],
  (name, operations, actor) => operations.pause(name, actor),
);

const events: ServerSentEvents = {
  name: 'followProjections',
  summary: 'Follow the progress of builds',
  path: '/admin/projections/events',
  access: admin,
  events: {
    build:
      'A build has made progress: `projection`, `build`, `step`, `events`, `of`, `perSecond`, `secondsLeft`.',
    outcome:
      'A build has come to an end, or waits for an operator: `projection`, `build`, `kind` (`served`, `compared`, `differs`, `stopped` or `cancelled`), `report` or `reason`.',
    expired: 'The token has expired, and the stream ends.',
  },
};

/** What operators ask of projections, and what was done by it. */
export const projectionAdmin: AdminApiDefinition = {
  operations: [
    listProjections,
    planRebuild,
    rebuildProjection,
    verifyProjection,
    rollBackProjection,
    cancelBuilds,
    pauseProjection,
    resumeProjection,
    retryQuarantined,
    skipQuarantined,
    listActs,
  ],
  events,
};

import { Type, type Static, type TProperties } from '../schema/typebox.ts';
import { adminAccess } from '../access/access.ts';
import { defineAdminOperation, type AdminApiDefinition, type ServerSentEventsDefinition } from './admin-operation.ts';
import { invalidAt, type DomainErrorReason } from '../errors/domain-error.ts';
import { Identifier, nullable, object, text } from '../schema/schema.ts';
import { DEFAULT_KEEP_HOURS, MAX_KEEP_HOURS, MAX_THROTTLE_PER_SECOND, type ProjectionBuilds } from './build-schema.ts';
import { listActsOperation } from './list-acts.ts';
import type { BegunBuild, ProjectionOperations } from './operations.ts';
import { Pause, ProjectionOverview } from './overview.ts';
import { RebuildPlan } from './plan.ts';
import { ServiceOverview } from './service-overview.ts';

const params = object({ name: Identifier });
const emptyObject = object({});
const throttle = Type.Optional(
  Type.Integer({ minimum: 1, maximum: MAX_THROTTLE_PER_SECOND, description: 'Events a second at most.' }),
);
const stream = text(300, { minLength: 1, description: 'A parked stream.' });

/** An operation that changes the active build, or is hard to undo, must name the projection once more. */
const confirmedBody = <P extends TProperties>(properties: P) =>
  object({
    confirm: text(200, { description: "The projection's name again." }),
    reason: Type.Optional(
      text(500, { minLength: 1, description: 'Why; it is recorded with the act.', examples: ['After a fix'] }),
    ),
    ...properties,
  });

const requireConfirmation = (name: string, confirmation: string): void => {
  if (confirmation !== name) throw invalidAt('body/confirm', `must be the name of the projection, ${name}`);
};

const BegunBuildBody = object(
  {
    projection: Type.String(),
    build: Type.String({ description: 'The id of the build that was begun, or gone on with.' }),
  },
  { title: 'BegunBuild' },
);

const toBegunBuildBody = ([begun]: readonly BegunBuild[]): Static<typeof BegunBuildBody> => {
  if (!begun) throw new Error('No build was begun');
  return { projection: begun.name, build: begun.build };
};

const ChangedProjectionBody = object(
  {
    projection: Type.String(),
    live: Type.String({ description: 'The build that is served.' }),
    paused: nullable(Pause),
    waitingStreams: Type.Integer({ description: 'Parked streams, of all builds.' }),
  },
  { title: 'ChangedProjection' },
);

const onOne = { method: 'POST', access: adminAccess, params } as const;
/** Of operations that answer before the build is made. */
const beginningOperation = { ...onOne, status: 202, response: BegunBuildBody } as const;
/** Of operations that answer with what they have changed. */
const changingOperation = { ...onOne, status: 200, response: ChangedProjectionBody } as const;

const toChangedProjectionBody = async (
  { name, active, paused, builds }: ProjectionBuilds,
  { parked }: Pick<ProjectionOperations, 'parked'>,
): Promise<Static<typeof ChangedProjectionBody>> => {
  const streams = await parked();
  const waitingStreams = builds.reduce((sum, { id }) => sum + (streams.get(id)?.parked.length ?? 0), 0);
  return { projection: name, live: active, paused, waitingStreams };
};

const readingOperation = { method: 'GET', access: adminAccess, body: emptyObject, status: 200 } as const;

export const listProjectionsOperation = defineAdminOperation({
  name: 'listProjections',
  summary: 'Show where every build of every projection stands, and how the service is',
  ...readingOperation,
  path: '/admin/projections',
  params: emptyObject,
  response: object({ data: Type.Array(ProjectionOverview), service: ServiceOverview }, { title: 'ProjectionList' }),
  refusals: [],
  async act(_request, { overview, service }) {
    const [data, own] = await Promise.all([overview(), service()]);
    return { data, service: own };
  },
});

export const planRebuildOperation = defineAdminOperation({
  name: 'planRebuild',
  summary: 'Tell how many events a rebuild would apply, and how long that would take',
  ...readingOperation,
  path: '/admin/projections/:name/plan',
  params,
  response: RebuildPlan,
  refusals: ['not-found'],
  async act({ params: { name } }, { operations, plan }) {
    operations.refuseUnknown([name]);
    return plan(name);
  },
});

export const rebuildProjectionOperation = defineAdminOperation({
  name: 'rebuildProjection',
  summary: 'Build a projection anew beside what is served, compare, and serve what was built',
  ...beginningOperation,
  path: '/admin/projections/:name/rebuild',
  body: confirmedBody({
    throttle,
    keepHours: Type.Optional(
      Type.Number({
        minimum: 0,
        maximum: MAX_KEEP_HOURS,
        description: `How long what it replaces is kept; ${DEFAULT_KEEP_HOURS} by default.`,
      }),
    ),
    approve: Type.Optional(Type.Boolean({ description: 'Serve it even where it differs.' })),
    tolerant: Type.Optional(
      Type.Boolean({ description: 'Go on where an event cannot be applied: only its stream is parked.' }),
    ),
  }),
  refusals: ['not-found', 'conflict'],
  async act({ params: { name }, body }, { operations }) {
    requireConfirmation(name, body.confirm);
    const begun = await operations.rebuild([name], {
      throttle: body.throttle ?? null,
      keepHours: body.keepHours ?? DEFAULT_KEEP_HOURS,
      isApproved: body.approve ?? false,
      isStrict: !(body.tolerant ?? false),
    });
    return toBegunBuildBody(begun);
  },
});

export const verifyProjectionOperation = defineAdminOperation({
  name: 'verifyProjection',
  summary: 'Compare what is served with a rebuild from the log, which is dropped again',
  ...beginningOperation,
  path: '/admin/projections/:name/verify',
  body: object({ throttle }),
  refusals: ['not-found', 'conflict'],
  act: async ({ params: { name }, body }, { operations }) =>
    toBegunBuildBody(await operations.verify([name], body.throttle ?? null)),
});

export const rollBackProjectionOperation = defineAdminOperation({
  name: 'rollBackProjection',
  summary: 'Serve the build again that was served before',
  ...changingOperation,
  path: '/admin/projections/:name/rollback',
  body: confirmedBody({
    to: Type.Optional(
      text(200, {
        minLength: 1,
        description: 'The id of the build that is to be served: the same request again changes nothing then.',
      }),
    ),
  }),
  refusals: ['not-found', 'conflict'],
  async act({ params: { name }, body }, { operations }) {
    requireConfirmation(name, body.confirm);
    return toChangedProjectionBody(await operations.rollBack(name, body.to), operations);
  },
});

export const retryQuarantinedOperation = defineAdminOperation({
  name: 'retryQuarantined',
  summary: 'Have parked streams applied again, all or one',
  ...changingOperation,
  path: '/admin/projections/:name/retry',
  body: object({ stream: Type.Optional(stream) }),
  refusals: ['not-found', 'conflict'],
  act: async ({ params: { name }, body }, { operations }) =>
    toChangedProjectionBody(await operations.retry(name, body.stream), operations),
});

export const skipQuarantinedOperation = defineAdminOperation({
  name: 'skipQuarantined',
  summary: 'Leave out the event at which a stream is parked, and apply what comes after it',
  ...changingOperation,
  path: '/admin/projections/:name/skip',
  body: confirmedBody({ stream }),
  refusals: ['not-found', 'conflict'],
  async act({ params: { name }, body }, { operations }) {
    requireConfirmation(name, body.confirm);
    return toChangedProjectionBody(await operations.skip(name, body.stream), operations);
  },
});

export const resumeProjectionOperation = defineAdminOperation({
  name: 'resumeProjection',
  summary: 'Go on applying a projection where it was paused',
  ...changingOperation,
  path: '/admin/projections/:name/resume',
  body: emptyObject,
  refusals: ['not-found'],
  act: async ({ params: { name } }, { operations }) =>
    toChangedProjectionBody(await operations.resume(name), operations),
});

/** An operation that takes nothing but the confirmation. */
const defineConfirmedOperation = (
  path: string,
  name: string,
  summary: string,
  refusals: readonly DomainErrorReason[],
  change: (projection: string, operations: ProjectionOperations, actor: string) => Promise<ProjectionBuilds>,
) =>
  defineAdminOperation({
    name,
    summary,
    ...changingOperation,
    path: `/admin/projections/:name/${path}`,
    body: confirmedBody({}),
    refusals,
    async act({ params: { name: projection }, body, actor }, { operations }) {
      requireConfirmation(projection, body.confirm);
      return toChangedProjectionBody(await change(projection, operations, actor), operations);
    },
  });

export const cancelBuildsOperation = defineConfirmedOperation(
  'cancel',
  'cancelBuilds',
  'Give up what is under way beside what is served',
  ['not-found', 'conflict'],
  (name, operations) => operations.cancel(name),
);

export const pauseProjectionOperation = defineConfirmedOperation(
  'pause',
  'pauseProjection',
  'Apply nothing of a projection any more, on any instance, until it is resumed',
  ['not-found'],
  (name, operations, actor) => operations.pause(name, actor),
);

const buildEventsDefinition: ServerSentEventsDefinition = {
  name: 'followProjections',
  summary: 'Follow the progress of builds',
  path: '/admin/projections/events',
  access: adminAccess,
  events: {
    build: 'A build has made progress: `projection`, `build`, `step`, `events`, `of`, `perSecond`, `secondsLeft`.',
    outcome:
      'A build has come to an end, or waits for an operator: `projection`, `build`, `kind` (`served`, `compared`, `differs`, `stopped` or `cancelled`), `report` or `reason`.',
    expired: 'The token has expired, and the stream ends.',
  },
};

/** What operators ask of projections, and what was done by it. */
export const projectionAdminApi: AdminApiDefinition = {
  operations: [
    listProjectionsOperation,
    planRebuildOperation,
    rebuildProjectionOperation,
    verifyProjectionOperation,
    rollBackProjectionOperation,
    cancelBuildsOperation,
    pauseProjectionOperation,
    resumeProjectionOperation,
    retryQuarantinedOperation,
    skipQuarantinedOperation,
    listActsOperation,
  ],
  events: buildEventsDefinition,
};

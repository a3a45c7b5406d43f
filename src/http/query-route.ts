import { badRequest, unavailable } from '../errors.ts';
import type { EventStore } from '../event-store/port.ts';
import { toJson } from '../json-text.ts';
import type { HostedProjector } from '../projector-host.ts';
import type { ProjectionStatus } from '../projector-progress.ts';
import type { Query } from '../query.ts';
import { NotBuilt, type ParkedAt, type ReadModels } from '../read-models/port.ts';
import { checker } from '../validation.ts';
import { valid, type Edge } from './command-route.ts';
import type { RouteContext } from './context.ts';
import { ownerOf } from './credentials.ts';
import { readParameters } from './parameters.ts';

export interface Reading {
  /** As they are served at this time; a request keeps to what it was given. */
  readonly readModels: () => ReadModels;
  readonly projector: Pick<HostedProjector, 'isCaughtUp' | 'reached' | 'status'>;
  readonly consistencyWaitMs: number;
  /** What stands at a position of the log. */
  readonly recordAt: EventStore['recordAt'];
}

const POSITION = /^[0-9/]{1,64}$/;

/** The name of a projection that will not reach a position, because somebody has paused it. */
const pausedBefore = (
  all: readonly ProjectionStatus[],
  names: readonly string[],
  position: string,
): string | undefined =>
  all.find((status) => names.includes(status.name) && status.isPaused === true && status.position < position)
    ?.name;

/** The name of a projection in which an event at a position waits, since its stream is parked. */
const parkedAt = async (
  { projector, recordAt }: Pick<Reading, 'projector' | 'recordAt'>,
  names: readonly string[],
  position: string,
): Promise<string | undefined> => {
  const some = projector.status().filter(({ name, parked }) => names.includes(name) && parked?.length);
  if (some.length === 0) return undefined;
  const { stream, revision } = (await recordAt(position)) ?? {};
  const holds = (each: ParkedAt) => each.stream === stream && each.revision <= (revision ?? -1);
  return some.find(({ parked }) => parked?.some(holds))?.name;
};

/** A query over HTTP: who may, what is asked, wait for what the caller has written, find, answer. */
export const queryRoute = (query: Query, { credentials, limit }: Edge, reading: Reading) => {
  const { readModels, projector, consistencyWaitMs } = reading;
  const checkParams = checker(query.params, 'path');
  const checkParameters = checker(query.parameters, 'query');
  const reads = query.reads.map(({ name }) => name);

  return async (ctx: RouteContext): Promise<void> => {
    ctx.state.operation = query;
    const caller = await credentials.identify(ctx, query.access);
    await limit(ctx, ownerOf(caller));
    const principal = query.access.authorize(caller);
    const params = valid(checkParams, { ...ctx.params });
    const parameters = valid(checkParameters, readParameters(ctx.querystring, query.parameters));
    const token = ctx.get('Consistency-Token');
    if (token !== '' && !POSITION.test(token))
      throw badRequest('The header Consistency-Token must be one that a write has answered with');
    if (!projector.isCaughtUp()) throw unavailable('The read models are being built', 1);
    const stopped = token === '' ? undefined : pausedBefore(projector.status(), reads, token);
    if (stopped !== undefined)
      throw unavailable(`The projection ${stopped} is paused and has not reached the Consistency-Token`, 60);
    if (token !== '' && !(await projector.reached(reads, token, consistencyWaitMs)))
      throw unavailable('The read models have not reached the Consistency-Token yet', 1);
    const parked = token === '' ? undefined : await parkedAt(reading, reads, token);
    if (parked !== undefined)
      throw unavailable(
        `The projection ${parked} cannot apply the event of the Consistency-Token: its stream is parked`,
        60,
      );
    const body = await query.find({ principal, params, parameters }, readModels()).catch((error: unknown) => {
      throw error instanceof NotBuilt ? unavailable('The read models are being built', 1) : error;
    });
    ctx.type = 'json';
    ctx.body = toJson(body);
  };
};

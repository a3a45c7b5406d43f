import { unavailable } from '../errors/domain-error.ts';
import { encodeJsonBody } from '../application/lazy-json.ts';
import type { Query } from '../application/query.ts';
import { NotBuiltError, type ReadModels, type TrackedReads, type ValidityFlag } from '../read-models/port.ts';
import type { Position } from '../event-store/port.ts';
import { toEtaggedBody, matchesEtag, type EtaggedBody, type AnswerCache } from './answer-cache.ts';
import { waitForPosition, type ConsistencyOptions } from '../application/consistency.ts';
import type { RouteContext } from './edge/context.ts';
import { inProcessCallerIdOf } from './authenticator.ts';
import { createRequestReader } from './parameters.ts';
import { requireMatch } from './preconditions.ts';

/** What is served now; a request keeps to the builds that it began with. */
export interface ServedReadModels {
  readonly readModels: ReadModels;
  /** Current until other builds are served. */
  readonly validity: ValidityFlag;
  /** Undefined for a store that does not track changes: answers are not cached. */
  readonly track?: (() => TrackedReads) | undefined;
}

export interface QueryRouteOptions extends ConsistencyOptions {
  readonly served: () => ServedReadModels;
  readonly answers: AnswerCache;
}

type Request = Parameters<Query['find']>[0];

const finderOf =
  (query: Query) =>
  async (request: Request, readModels: ReadModels): Promise<EtaggedBody> => {
    try {
      return toEtaggedBody(encodeJsonBody(await query.find(request, readModels)));
    } catch (error) {
      throw error instanceof NotBuiltError ? unavailable('The read models are being built', 1) : error;
    }
  };

const namesOf = ({ reads }: Query): string[] => reads.map(({ name }) => name);

/** The ETag of what a query without parameters answers, once it shows the event at a position. */
export type FindReadBackEtag = (request: Pick<Request, 'principal' | 'params'>, position: Position) => Promise<string>;

/** The function that it makes throws a DomainError, as `waitForPosition` and the query do. */
export const createReadBackEtagFinder = (query: Query, reading: QueryRouteOptions): FindReadBackEtag => {
  const find = finderOf(query);
  return async (request, position) => {
    await waitForPosition(reading, namesOf(query), position, 'the last change');
    return (await find({ ...request, parameters: {} }, reading.served().readModels)).etag;
  };
};

/** The route of a query. */
export const queryRoute = (query: Query, reading: QueryRouteOptions) => {
  const { answers } = reading;
  const readRequest = createRequestReader(query.params, query.parameters);
  const reads = namesOf(query);
  const find = finderOf(query);

  /** Caches the answer if the store tracks changes; errors are not cached. */
  const findAndKeep = async (
    question: string,
    request: Request,
    { readModels, validity, track }: ServedReadModels,
  ): Promise<EtaggedBody> => {
    if (!track) return find(request, readModels);
    const tracked = track();
    const answer = await find(request, tracked.readModels);
    answers.keep(question, answer, [validity, ...tracked.validities]);
    return answer;
  };

  return async (ctx: RouteContext): Promise<void> => {
    const { caller, principal } = ctx.state;
    // The URL also tells queries apart.
    const question = `${inProcessCallerIdOf(caller)} ${ctx.url}`;
    const request = answers.has(question) ? undefined : readRequest(ctx);
    await waitForPosition(reading, reads, ctx.get('Consistency-Token'));
    // First: this call invalidates cached answers of builds no longer served.
    const served = reading.served();
    const answer =
      answers.current(question) ??
      (await findAndKeep(question, { principal, ...(request ?? readRequest(ctx)) }, served));
    requireMatch(ctx.req.headers, answer.etag);
    ctx.status = 200;
    ctx.res.setHeader('ETag', answer.etag);
    const { 'if-none-match': had } = ctx.req.headers;
    if (had !== undefined && matchesEtag(had, answer.etag)) {
      ctx.status = 304;
      return;
    }
    ctx.type = 'json';
    ctx.body = answer.bytes;
  };
};

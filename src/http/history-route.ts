import { finished, Readable } from 'node:stream';
import { createGzip } from 'node:zlib';
import type { Static, TObject } from '../schema/typebox.ts';
import { actorOf, type Caller } from '../access/access.ts';
import type { Audit } from '../audit/audited.ts';
import { forbidden, invalid } from '../errors/domain-error.ts';
import type { BegunAnswer, HistoryReader } from '../history/beside/history-reader.ts';
import { filterAsked, type findEvents } from '../history/operations/events.ts';
import {
  CODE_HEADER,
  LINES,
  MASKS_HEADER,
  POSITION_HEADER,
  REASON_HEADER,
  TIME_HEADER,
} from '../history/operations/headers.ts';
import type { HistoryOperationBase } from '../history/operations/operation.ts';
import { personalDataActOf } from '../history/operations/personal-data-act.ts';
import { codeVersion } from '../lib/code-version.ts';
import type { RouteContext } from './context.ts';
import { followed, type Followers } from './followers.ts';
import { notAcceptable } from './http-error.ts';
import { requestReader } from './parameters.ts';
import type { Places } from './places.ts';
import type { RouteStep } from './route-table.ts';

const LONGEST_REASON = 500;

/** Requests that a question about the history counts as. */
export const QUESTION_COST = 10;

export interface HistoryRoutes {
  readonly reader: HistoryReader;
  readonly audit: Audit;
  /** Of questions that are answered at once. */
  readonly places: Places;
  readonly followers: Followers;
}

/** The reason for personal data; undefined where it is not asked for. @throws DomainError */
const reasonIn = (ctx: RouteContext, { user }: Caller): string | undefined => {
  const given = ctx.req.headers[REASON_HEADER.toLowerCase()];
  if (given === undefined) return undefined;
  if (!user?.isAdmin) throw forbidden('Personal data of the history is for administrators alone');
  let reason: string;
  try {
    reason = decodeURIComponent(String(given)).trim();
  } catch {
    throw invalid(`The header ${REASON_HEADER} must be percent-encoded UTF-8`);
  }
  if (reason === '' || reason.length > LONGEST_REASON)
    throw invalid(`The header ${REASON_HEADER} must say why, in 1 to ${LONGEST_REASON} characters`);
  return reason;
};

/** The text of an answer that is sent as a whole, so that a failure has its status. */
const textOf = async ({ pieces }: BegunAnswer): Promise<string> => {
  let text = '';
  for await (const piece of pieces) text += piece;
  return text;
};

const isGzipped = (ctx: RouteContext): boolean => ctx.acceptsEncodings('gzip', 'identity') === 'gzip';

/** Sends text as it comes, no faster than the client reads. */
const sendPieces = (ctx: RouteContext, pieces: AsyncIterable<string>, isEncoded: boolean): void => {
  const body = Readable.from(pieces, { objectMode: false });
  if (!isEncoded) {
    ctx.body = body;
    return;
  }
  ctx.set('Content-Encoding', 'gzip');
  const gzip = createGzip();
  body.once('error', (error) => gzip.destroy(error));
  gzip.once('close', () => body.destroy());
  ctx.body = body.pipe(gzip);
};

/** Aborted when the client has all of its answer or has gone, also where it went before. */
const untilGone = ({ res }: RouteContext): AbortController => {
  const leaving = new AbortController();
  finished(res, () => leaving.abort());
  return leaving;
};

/**
 * Reads a question, and begins its answer; a look at personal data is recorded first.
 *
 * @param check refuses what the schemas let pass, before anything is recorded
 */
const beginning = <P extends TObject, Q extends TObject>(
  operation: HistoryOperationBase<P, Q>,
  { reader, audit }: HistoryRoutes,
  check: (parameters: Static<Q>, isUnmasked: boolean) => void = () => undefined,
) => {
  const readRequest = requestReader(operation.params, operation.parameters);
  return (ctx: RouteContext) => {
    const { caller, requestId } = ctx.state;
    const question = readRequest(ctx);
    const { parameters } = question;
    const reason = reasonIn(ctx, caller);
    check(parameters, reason !== undefined);
    /** @param leavePlace called once nothing is done for the answer any more, whether the client is there or not */
    const begin = async (leaving: AbortController, leavePlace: () => void): Promise<BegunAnswer> => {
      const ask = async (): Promise<BegunAnswer> => {
        const { signal } = leaving;
        const isUnmasked = reason !== undefined;
        const answer = await reader.ask({ operation: operation.name, ...question, isUnmasked }, signal);
        void answer.over.then(leavePlace);
        return answer;
      };
      try {
        if (reason === undefined) return await ask();
        const act = {
          operation: 'personal-data',
          parameters: personalDataActOf(operation, question, reason),
        } as const;
        return await audit({ actor: actorOf(caller), requestId })(act, ask);
      } catch (error) {
        leaving.abort();
        leavePlace();
        throw error;
      }
    };
    return { parameters, begin };
  };
};

/** The route of a question that has one answer. */
export const historyRoute = <P extends TObject, Q extends TObject>(
  operation: HistoryOperationBase<P, Q>,
  routes: HistoryRoutes,
) => {
  const read = beginning(operation, routes);
  return async (ctx: RouteContext): Promise<void> => {
    const { begin } = read(ctx);
    const text = await textOf(await begin(untilGone(ctx), routes.places.take()));
    ctx.status = 200;
    ctx.type = 'json';
    ctx.body = text;
  };
};

/** Refuses an Accept that excludes a media type. */
export const onlyType =
  (type: string): RouteStep =>
  (ctx, next) => {
    const { accept } = ctx.req.headers;
    if (accept !== undefined && !ctx.accepts(type))
      throw notAcceptable(`The Accept header must allow ${type}`);
    return next();
  };

const setMadeFrom = (ctx: RouteContext, { upTo, masks }: BegunAnswer): void => {
  ctx.set(POSITION_HEADER, upTo?.position ?? '');
  ctx.set(CODE_HEADER, codeVersion());
  ctx.set(MASKS_HEADER, masks);
  if (upTo?.recordedAt) ctx.set(TIME_HEADER, upTo.recordedAt);
  ctx.vary('Accept-Encoding');
};

/** @param following sends an answer that has no end */
const sendBegun = (
  ctx: RouteContext,
  type: string,
  answer: BegunAnswer,
  leaving: AbortController,
  following?: () => void,
): void => {
  ctx.status = 200;
  ctx.type = type;
  setMadeFrom(ctx, answer);
  if (ctx.method === 'HEAD') leaving.abort();
  else if (following) following();
  else sendPieces(ctx, answer.pieces, isGzipped(ctx));
};

/** The route of events, as lines of JSON. */
export const historyEventsRoute = (operation: typeof findEvents, routes: HistoryRoutes) => {
  const read = beginning(operation, routes, filterAsked);
  return async (ctx: RouteContext): Promise<void> => {
    const { parameters, begin } = read(ctx);
    const { follow } = parameters;
    const { caller } = ctx.state;
    const leavePlace = follow ? routes.followers.join(actorOf(caller)) : routes.places.take();
    const leaving = untilGone(ctx);
    const answer = await begin(leaving, leavePlace);
    const following = () => {
      // No request follows, so a service that stops need not wait for one.
      ctx.set('Connection', 'close');
      const until = caller.expiresAt ?? Infinity;
      sendPieces(ctx, followed(answer.pieces, { until, leaving, signal: routes.followers.signal }), false);
    };
    sendBegun(ctx, LINES, answer, leaving, follow ? following : undefined);
  };
};

/** The page's own style; its own policy says which. */
const PAGE_POLICY = "default-src 'none';style-src 'unsafe-inline';frame-ancestors 'none'";

/** Sets the policy of a page that has styles of its own. */
export const pagePolicy: RouteStep = (ctx, next) => {
  ctx.set('Content-Security-Policy', PAGE_POLICY);
  return next();
};

/** The route of a question that is answered piece by piece. */
export const historyPiecesRoute = <P extends TObject, Q extends TObject>(
  operation: HistoryOperationBase<P, Q>,
  type: string,
  routes: HistoryRoutes,
) => {
  const read = beginning(operation, routes);
  return async (ctx: RouteContext): Promise<void> => {
    const { begin } = read(ctx);
    const leaving = untilGone(ctx);
    const answer = await begin(leaving, routes.places.take());
    sendBegun(ctx, type, answer, leaving);
  };
};

import { finished, Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import type { TObject } from '../schema/typebox.ts';
import { actorOf, type Caller } from '../access/access.ts';
import type { Audit } from '../audit/audited.ts';
import { forbidden, invalid } from '../errors/domain-error.ts';
import type { BegunAnswer, HistoryWorker } from '../history/operations/history-worker.ts';
import {
  AT_HEADER,
  CODE_HEADER,
  MASKS_HEADER,
  HTML_MEDIA_TYPE,
  POSITION_HEADER,
  PERSONAL_DATA_REASON_HEADER,
  RECORDED_AT_HEADER,
} from '../history/operations/headers.ts';
import { asksToFollow, type HistoryOperationBase, type HistoryQuestion } from '../history/operations/operation.ts';
import { personalDataActOf, parsePersonalDataReason } from '../history/operations/personal-data-act.ts';
import { readPackageVersion } from '../lib/package-version.ts';
import type { AdmittedState, RouteContext } from './edge/context.ts';
import { withKeepAliveLines, type FollowerLimit } from './followers.ts';
import { acceptsGzip, sendStream } from './content-negotiation.ts';
import { createRequestReader } from './parameters.ts';
import type { ConcurrencyLimiter } from './concurrency-limiter.ts';
import { requireMatch } from './preconditions.ts';

/** Requests that a question about the history counts as. */
export const QUESTION_COST = 10;

export interface HistoryRouteOptions {
  readonly reader: HistoryWorker;
  readonly audit: Audit;
  /** Of questions that are answered at once. */
  readonly places: ConcurrencyLimiter;
  readonly followers: FollowerLimit;
}

/** The reason for personal data; undefined where it is not asked for. @throws DomainError */
const reasonIn = (ctx: RouteContext, { user }: Caller): string | undefined => {
  const given = ctx.req.headers[PERSONAL_DATA_REASON_HEADER.toLowerCase()];
  if (given === undefined) return undefined;
  if (!user?.isAdmin) throw forbidden('Personal data of the history is for administrators alone');
  let reason: string;
  try {
    reason = decodeURIComponent(String(given));
  } catch {
    throw invalid(`The header ${PERSONAL_DATA_REASON_HEADER} must be percent-encoded UTF-8`);
  }
  return parsePersonalDataReason(reason, `The header ${PERSONAL_DATA_REASON_HEADER}`);
};

/** Text as it comes, no faster than the client reads. */
const streamOf = (pieces: AsyncIterable<string>) => Readable.from(pieces, { objectMode: false });

/** Aborted when the client has all of its answer or has gone, also where it went before. */
export const abortOnClose = ({ res }: RouteContext): AbortController => {
  const leaving = new AbortController();
  finished(res, () => leaving.abort());
  return leaving;
};

/** A page has a style of its own; its own policy says which. */
const PAGE_POLICY = "default-src 'none';style-src 'unsafe-inline';frame-ancestors 'none'";

/** Begins an answer about the history: its status, type and the headers that all of them have. */
export const setHistoryHeaders = (ctx: RouteContext, type: string, position: string, masks: string): void => {
  ctx.status = 200;
  ctx.type = type;
  ctx.set({ [POSITION_HEADER]: position, [CODE_HEADER]: readPackageVersion(), [MASKS_HEADER]: masks });
  ctx.vary('Accept-Encoding');
};

const setMomentHeaders = (ctx: RouteContext, type: string, { upTo, masks }: BegunAnswer): void => {
  setHistoryHeaders(ctx, type, upTo?.position ?? '', masks);
  if (upTo?.recordedAt) ctx.set(RECORDED_AT_HEADER, upTo.recordedAt);
  if (upTo?.at) ctx.set(AT_HEADER, upTo.at);
  if (type === HTML_MEDIA_TYPE) ctx.set('Content-Security-Policy', PAGE_POLICY);
};

/**
 * The route of a question about the history: it takes a place, has a look at personal data recorded, and answers. A
 * client that goes, whenever that is, ends the answer; the place is given back once nothing is done for it any more.
 */
export const historyRoute = <P extends TObject, Q extends TObject>(
  operation: HistoryOperationBase<P, Q>,
  { reader, audit, places, followers }: HistoryRouteOptions,
) => {
  const readRequest = createRequestReader(operation.params, operation.parameters);

  const begin = async (
    { caller, requestId }: AdmittedState,
    question: HistoryQuestion<P, Q>,
    reason: string | undefined,
    signal: AbortSignal,
  ): Promise<BegunAnswer> => {
    const ask = () => reader.ask({ operation: operation.name, ...question, isUnmasked: reason !== undefined }, signal);
    if (reason === undefined) return ask();
    const parameters = personalDataActOf(operation, question, reason);
    return audit({ actor: actorOf(caller), requestId })({ operation: 'personal-data', parameters }, ask);
  };

  return async (ctx: RouteContext): Promise<void> => {
    const { caller } = ctx.state;
    const question = readRequest(ctx);
    const reason = reasonIn(ctx, caller);
    operation.check?.(question.parameters, reason !== undefined);
    const isFollowing = asksToFollow(question);
    const leaving = abortOnClose(ctx);
    const user = actorOf(caller);
    const leavePlace = await (isFollowing ? followers.places : places).take(user, leaving.signal);
    let answer: BegunAnswer;
    try {
      answer = await begin(ctx.state, question, reason, leaving.signal);
      requireMatch(ctx.req.headers);
    } catch (error) {
      leaving.abort();
      leavePlace();
      throw error;
    }
    void answer.over.then(leavePlace);
    if (operation.media === undefined) {
      // As a whole, so that a failure has its status.
      ctx.body = await text(answer.pieces);
      ctx.type = 'json';
      return;
    }
    setMomentHeaders(ctx, operation.media[0] ?? '', answer);
    if (ctx.method === 'HEAD') leaving.abort();
    else if (isFollowing) {
      // No request follows, so a service that stops need not wait for one.
      ctx.set('Connection', 'close');
      sendStream(ctx, streamOf(withKeepAliveLines(answer.pieces, caller, leaving, followers.signal)), false);
    } else sendStream(ctx, streamOf(answer.pieces), acceptsGzip(ctx));
  };
};

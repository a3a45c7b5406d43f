import { PassThrough } from 'node:stream';
import { actorOf } from '../access/access.ts';
import type { EventStream } from '../rebuilds/admin-operation.ts';
import { createNews, type Feed, type News } from '../rebuilds/feed.ts';
import { tooMany } from '../errors/domain-error.ts';
import { atTime } from '../lib/at-time.ts';
import { notAcceptable } from './http-error.ts';
import type { RouteContext } from './context.ts';
import type { RouteStep } from './route-table.ts';

/** Of all callers together, since each holds a connection. */
const MAX_STREAMS = 16;
/** Of one user: enough for some windows of a browser, and not for all streams. */
const MAX_STREAMS_OF_USER = 5;
const RETRY_AFTER_S = 10;
/** Shorter than proxies keep a silent connection open. */
const HEARTBEAT_MS = 15_000;

const MEDIA_TYPE = 'text/event-stream';

export interface StreamOptions {
  readonly feed: Feed;
  /** Aborted when the service stops. */
  readonly signal: AbortSignal;
  readonly heartbeatMs?: number;
  readonly maxStreams?: number;
  readonly maxStreamsOfUser?: number;
}

/** In the form of server-sent events (HTML, 9.2). */
const inForm = ({ kind, line }: News): string => `event: ${kind}\ndata: ${JSON.stringify(line)}\n\n`;

/** Refuses an Accept that excludes event streams, before the caller is identified. */
export const onlyEvents =
  (operation: EventStream): RouteStep =>
  (ctx, next) => {
    ctx.state.operation = operation;
    if (!ctx.accepts(MEDIA_TYPE)) throw notAcceptable(`The Accept header must allow ${MEDIA_TYPE}`);
    return next();
  };

const EXPIRED = 'event: expired\ndata: {}\n\n';

/** A client that does not read would not see the end either. */
const endWith = (stream: PassThrough, text = ''): void => {
  if (stream.writableNeedDrain) stream.destroy();
  else if (stream.writable) stream.end(text);
};

/**
 * Sends news of builds until the client leaves, its token expires or the service stops. Nothing is buffered for a slow
 * client: it misses news that are out of date when it reads on.
 */
export const eventStreamRoute = ({
  feed,
  signal,
  heartbeatMs = HEARTBEAT_MS,
  maxStreams = MAX_STREAMS,
  maxStreamsOfUser = MAX_STREAMS_OF_USER,
}: StreamOptions) => {
  /** Each with the user who follows it. */
  const streams = new Map<PassThrough, string>();
  signal.addEventListener('abort', () => {
    for (const stream of streams.keys()) endWith(stream);
  });

  const open = (user: string, expiresAt: number): PassThrough => {
    const stream = new PassThrough();
    const say = (text: string): void => {
      if (stream.writable && !stream.writableNeedDrain) stream.write(text);
    };
    streams.set(stream, user);
    // At once, so that the client knows it was accepted.
    say(': what happens to builds of projections\n\n');
    const newsOf = createNews();
    const leave = feed.subscribe((records) => {
      if (stream.writableNeedDrain) return;
      const news = newsOf(records);
      if (news.length > 0) say(news.map(inForm).join(''));
    });
    const heartbeat = setInterval(() => say(': still here\n\n'), heartbeatMs);
    const cancelExpiry = atTime(expiresAt, () => endWith(stream, EXPIRED));
    stream.once('close', () => {
      clearInterval(heartbeat);
      cancelExpiry();
      leave();
      streams.delete(stream);
    });
    if (signal.aborted) stream.end();
    return stream;
  };

  return (ctx: RouteContext): void => {
    if (streams.size >= maxStreams)
      throw tooMany(`${maxStreams} callers follow the builds already`, RETRY_AFTER_S);
    const { caller } = ctx.state;
    const user = actorOf(caller);
    if ([...streams.values()].filter((follower) => follower === user).length >= maxStreamsOfUser)
      throw tooMany(`You follow the builds ${maxStreamsOfUser} times already`, RETRY_AFTER_S);
    ctx.status = 200;
    ctx.type = MEDIA_TYPE;
    // No request follows, so a service that stops need not wait for one.
    ctx.set('Connection', 'close');
    if (ctx.method !== 'HEAD') ctx.body = open(user, caller.expiresAt ?? Infinity);
  };
};

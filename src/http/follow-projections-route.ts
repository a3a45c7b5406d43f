import { addAbortListener } from 'node:events';
import { PassThrough } from 'node:stream';
import { actorOf, type Caller } from '../access/access.ts';
import { createBuildUpdateFinder, type RegistryFeed, type BuildUpdate } from '../builds/registry-feed.ts';
import type { RouteContext } from './edge/context.ts';
import { HEARTBEAT_MS, onSessionEnd, type FollowerLimit } from './followers.ts';
import { requireMatch } from './preconditions.ts';

export const EVENT_STREAM_MEDIA_TYPE = 'text/event-stream';

export interface FollowProjectionsOptions {
  readonly feed: RegistryFeed;
  readonly followers: FollowerLimit;
  readonly heartbeatMs?: number;
}

/** In the form of server-sent events (HTML, 9.2). */
const serverSentEventText = ({ kind, line }: BuildUpdate): string =>
  `event: ${kind}\ndata: ${JSON.stringify(line)}\n\n`;

const EXPIRED = 'event: expired\ndata: {}\n\n';

/** A client that does not read would not see the end either. */
const endStreamWith = (stream: PassThrough, text = ''): void => {
  if (stream.writableNeedDrain) stream.destroy();
  else if (stream.writable) stream.end(text);
};

/**
 * Sends news of builds until the client leaves, its token expires, its user signs out or the service stops. Nothing is
 * buffered for a slow client: it misses news that are out of date when it reads on.
 */
export const followProjectionsRoute = ({ feed, followers, heartbeatMs = HEARTBEAT_MS }: FollowProjectionsOptions) => {
  const { places, signal } = followers;

  const open = (leavePlace: () => void, caller: Caller): PassThrough => {
    const stream = new PassThrough();
    const say = (text: string): void => {
      if (stream.writable && !stream.writableNeedDrain) stream.write(text);
    };
    // At once, so that the client knows it was accepted.
    say(': what happens to builds of projections\n\n');
    const newsOf = createBuildUpdateFinder();
    const leave = feed.subscribe((records) => {
      if (stream.writableNeedDrain) return;
      const news = newsOf(records);
      if (news.length > 0) say(news.map(serverSentEventText).join(''));
    });
    const heartbeat = setInterval(() => say(': still here\n\n'), heartbeatMs);
    const cancelEnd = onSessionEnd(caller, () => endStreamWith(stream, EXPIRED));
    const stopping = addAbortListener(signal, () => endStreamWith(stream));
    stream.once('close', () => {
      clearInterval(heartbeat);
      cancelEnd();
      stopping[Symbol.dispose]();
      leave();
      leavePlace();
    });
    return stream;
  };

  return async (ctx: RouteContext): Promise<void> => {
    const { caller } = ctx.state;
    requireMatch(ctx.req.headers);
    const leavePlace = await places.take(actorOf(caller), signal);
    ctx.status = 200;
    ctx.type = EVENT_STREAM_MEDIA_TYPE;
    // No request follows, so a service that stops need not wait for one.
    ctx.set('Connection', 'close');
    if (ctx.method === 'HEAD') leavePlace();
    else ctx.body = open(leavePlace, caller);
  };
};

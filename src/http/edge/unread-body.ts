import { setImmediate } from 'node:timers/promises';
import { closeGently } from './connections.ts';
import type { Context, Middleware } from './context.ts';
import { hasBody } from './request-body.ts';

/** After an answer that precedes the rest of a body, such as a 401, closes the connection instead of reading on. */
export const closeOnUnreadBody: Middleware = (ctx, next) => (hasBody(ctx) ? closeUnread(ctx, next) : next());

const closeUnread = async (ctx: Context, next: () => Promise<unknown>): Promise<void> => {
  await next();
  const hasArrived = () => ctx.req.complete;
  if (hasArrived()) return;
  const { socket } = ctx.req;
  // What was read together with the head is parsed by the immediate; no more is read, whatever Node.js would buffer.
  socket.pause();
  await setImmediate();
  if (hasArrived()) {
    socket.resume();
    return;
  }
  ctx.set('Connection', 'close');
  // Node.js calls this after the answer; its own version resets the connection while the client still writes.
  socket.destroySoon = () => closeGently(socket, ctx.length);
};

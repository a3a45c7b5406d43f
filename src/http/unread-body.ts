import { setImmediate } from 'node:timers/promises';
import { closeGently } from './connections.ts';
import type { Context, Step } from './context.ts';
import { hasBody } from './request-body.ts';

/**
 * Closes the connection after an answer that came before the request's body was there, such as a 401 to an upload: the rest of
 * the body is not read.
 */
export const unreadBody = (): Step => (ctx, next) => (hasBody(ctx) ? closeUnread(ctx, next) : next());

const closeUnread = async (ctx: Context, next: () => Promise<unknown>): Promise<void> => {
  await next();
  const hasArrived = () => ctx.req.complete;
  if (hasArrived()) return;
  // A body that came in one packet with the headers is parsed by then.
  await setImmediate();
  if (hasArrived()) return;
  ctx.set('Connection', 'close');
  const { socket } = ctx.req;
  // Node.js calls it once the answer is sent, and would reset the connection while the client still writes.
  socket.destroySoon = () => closeGently(socket, ctx.length);
};

import { closeGently } from './connections.ts';
import type { Step } from './context.ts';

/**
 * Closes the connection after an answer that came before the whole request was there, such as a 401 to an upload: the rest of
 * the body is not read.
 */
export const unreadBody = (): Step => async (ctx, next) => {
  await next();
  const { req } = ctx;
  if (req.complete) return;
  ctx.set('Connection', 'close');
  const { socket } = req;
  // Node.js calls it once the answer is sent, and would reset the connection while the client still writes.
  socket.destroySoon = () => closeGently(socket);
};

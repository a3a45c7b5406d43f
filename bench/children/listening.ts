import { once } from 'node:events';
import type Koa from 'koa';

/** Serves on a free port; gives the address. */
export const listening = async (app: Pick<Koa, 'listen'>): Promise<{ readonly url: string }> => {
  const server = app.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The server has no port');
  return { url: `http://127.0.0.1:${address.port}` };
};

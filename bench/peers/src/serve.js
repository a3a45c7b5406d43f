// @ts-check
/** Serves the command that saves a posting: `node src/serve.js <database file>`. Stops on SIGTERM. */
import { existsSync } from 'node:fs';
import process from 'node:process';
import { DeciderCommandHandler } from '@event-driven-io/emmett';
import express from 'express';
import { oneAtATime } from './one-at-a-time.js';
import { print } from './output.js';
import { postingIsKnown, postingStream, savedPostings, savedPostingsStream } from './saved-postings.js';
import { openStore } from './store.js';

const [fileName] = process.argv.slice(2);
if (!fileName || !existsSync(fileName))
  throw new Error(`Usage: serve.js <database file that load.js made>; there is no file ${fileName ?? ''}`);

const { store, connection } = await openStore(fileName);
const handle = DeciderCommandHandler(savedPostings);
const inTurn = oneAtATime();

const app = express();
app.set('etag', false);
app.use(express.json());

app.post('/professionals/postings/save', async (request, response) => {
  const professionalId = request.get('X-Professional-Id');
  const postingId = request.body?.postingId;
  if (!professionalId || typeof postingId !== 'string' || postingId === '') {
    response.status(400).json({ error: 'The header X-Professional-Id and a postingId in the body are required' });
    return;
  }
  const saved = await inTurn(async () => {
    const { state: isKnown } = await store.aggregateStream(postingStream(postingId), postingIsKnown);
    if (!isKnown) return undefined;
    return handle(store, savedPostingsStream(professionalId), {
      type: 'SavePosting',
      data: { professionalId, postingId },
      metadata: { actor: professionalId, now: new Date() },
    });
  });
  if (saved) response.json({ postingId, isSaved: true, savedAt: saved.newState.savedAt.get(postingId) });
  else response.status(404).json({ error: 'No posting has the id in body/postingId' });
});

const server = app.listen(0, '127.0.0.1', (error) => {
  if (error) throw error;
  const address = server.address();
  if (!address || typeof address === 'string') throw new Error('The server has no port');
  print({ url: `http://127.0.0.1:${address.port}` });
});

process.once('SIGTERM', async () => {
  server.close();
  await inTurn(async () => server.closeAllConnections());
  connection.close();
});

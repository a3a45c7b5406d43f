import { once } from 'node:events';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { expect } from 'chai';
import { StoreUnavailableError } from '../../src/errors/store-unavailable.ts';
import { openMongoReadModelsReader } from '../../src/read-models/mongodb/reader.ts';
import { freePort } from '../support/free-port.ts';
import { rejectionOf } from '../support/refusal-of.ts';

const people = { name: 'people', columns: {}, indexes: [], partition: 'id' };

/** Less than the 10 s in which a request is answered, though a read may follow another. */
const BOUND_MS = 5_500;

describe('A read of read models in MongoDB', () => {
  /** The failure of a read, which comes in time. */
  const failureAt = async (port: number): Promise<unknown> => {
    const reader = openMongoReadModelsReader(`mongodb://127.0.0.1:${port}/hiring?directConnection=true`);
    const started = performance.now();
    const failure = await rejectionOf(reader.get(people, 'a'));
    expect(performance.now() - started).to.be.lessThan(BOUND_MS);
    await reader.close();
    return failure;
  };
  const expectAway = (failure: unknown) => {
    expect(failure).to.be.instanceOf(StoreUnavailableError);
    expect(failure).to.have.property('message', 'MongoDB does not answer');
  };

  it('says in time that MongoDB does not answer, where nothing listens', async () => {
    expectAway(await failureAt(await freePort()));
  });

  it('says in time that MongoDB does not answer, where it takes connections and is silent', async () => {
    const sockets = new Set<Socket>();
    const silent = createServer((socket) => sockets.add(socket)).listen(0, '127.0.0.1');
    await once(silent, 'listening');
    try {
      expectAway(await failureAt((silent.address() as AddressInfo).port));
    } finally {
      for (const socket of sockets) socket.destroy();
      silent.close();
    }
  });
});

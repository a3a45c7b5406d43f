import { expect } from 'chai';
import { UnusableServerError } from '../../src/errors/unusable-server.ts';
import { createMongoConnection } from '../../src/read-models/mongodb/client.ts';

const messageFor = (query: string): string => {
  try {
    createMongoConnection(`mongodb://user:changeit@127.0.0.1:1/hiring?${query}`);
  } catch (error) {
    if (error instanceof UnusableServerError) return error.message;
    throw error;
  }
  return 'it was taken';
};

describe('Options of READ_MODEL_URL that the driver does not take', () => {
  for (const [query, named] of [
    ['foo=changeit', ': foo'],
    ['maxPoolSize=changeit', ': maxPoolSize'],
    ['authMechanism=changeit', ': authMechanism'],
    ['tls=true&tls=false', ': tls, tls'],
    ['tls=true&ssl=false', ''],
  ] as const)
    it(`are told in one line, without their values: ${query}`, () => {
      const message = messageFor(query);
      expect(message).to.match(/^READ_MODEL_URL has options that the MongoDB driver does not take/);
      expect(message).to.include(named).and.not.include('changeit');
    });
});

import { randomUUID } from 'node:crypto';
import { MongoClient } from 'mongodb';
import { streamCategories } from '../../src/domain/index.ts';
import type { StoreSettings } from '../../src/stores.ts';

/** Servers to test against, where TEST_EVENTSTORE_URL and TEST_MONGODB_URL name them. */
export const servers = {
  eventStore: process.env['TEST_EVENTSTORE_URL'],
  mongo: process.env['TEST_MONGODB_URL'],
} as const;

/** A MongoDB URL with the name of a test's own database. */
const withDatabase = (url: string, name: string): string => {
  const [, start = url, options = ''] = /^(mongodb(?:\+srv)?:\/\/[^/?]+)\/?[^?]*(\?.*)?$/.exec(url) ?? [];
  return `${start}/${name}${options}`;
};

/** A new database, and a function that drops it. */
export const newDatabase = (server: string): { readonly url: string; readonly drop: () => Promise<void> } => {
  const url = withDatabase(server, `hiring-test-${randomUUID()}`);
  return {
    url,
    async drop() {
      const client = new MongoClient(url, { serverSelectionTimeoutMS: 5_000 });
      try {
        await client.db().dropDatabase();
      } finally {
        await client.close();
      }
    },
  };
};

/** A stream prefix that only one test uses. */
export const newPrefix = (): string => `test-${randomUUID()}-`;

/** The stores of a test's own service; undefined without the servers. */
export const newServerStores = (): { readonly stores: StoreSettings; drop(): Promise<void> } | undefined => {
  const { eventStore, mongo } = servers;
  if (eventStore === undefined || mongo === undefined) return undefined;
  const database = newDatabase(mongo);
  return {
    stores: {
      eventStore: { kind: 'eventstoredb', url: eventStore, prefix: newPrefix(), categories: streamCategories },
      readModels: { kind: 'mongodb', url: database.url },
    },
    drop: () => database.drop(),
  };
};

/** `npm run test:faults` chooses the suites by it. */
const ON_A_SERVER = 'on a server:';

/** Runs a suite with a server's URL, or reports that it was skipped. */
export const withServer = (
  name: string,
  variable: 'TEST_EVENTSTORE_URL' | 'TEST_MONGODB_URL',
  suite: (url: string) => void,
): void => {
  const url = process.env[variable];
  if (url !== undefined && url !== '') describe(ON_A_SERVER, () => suite(url));
  else
    describe(name, () => {
      it.skip(`is skipped: ${variable} names no server`);
    });
};

/** Runs a suite with both servers, or reports that it was skipped. */
export const withBothServers = (
  name: string,
  suite: (both: { readonly eventStore: string; readonly mongo: string }) => void,
): void => {
  const { eventStore, mongo } = servers;
  if (eventStore !== undefined && mongo !== undefined) describe(ON_A_SERVER, () => suite({ eventStore, mongo }));
  else
    describe(name, () => {
      it.skip('is skipped: TEST_EVENTSTORE_URL and TEST_MONGODB_URL do not name both servers');
    });
};

import { openMongoReadModels } from '../../src/read-models/mongodb/read-models.ts';
import type { ReadModelStore } from '../../src/read-models/port.ts';
import { newDatabase, withServer } from './servers.ts';

/** A store that takes the lease of each projection before it prepares it, as the projector does. */
export const leased = (store: ReadModelStore): ReadModelStore => {
  const names = new Set<string>();
  return {
    ...store,
    async prepare(projection) {
      names.add(projection.name);
      await store.leases?.keep([...names]);
      return store.prepare(projection);
    },
    async close() {
      await store.leases?.release();
      await store.close();
    },
  };
};

/** What each test of a suite gets: a database of its own. */
export interface MongoStores {
  readonly url: () => string;
  /** Read models as another process opens them; closed after the test. */
  readonly open: () => ReadModelStore;
}

/** Describes a suite on MongoDB, or reports that it was skipped. */
export const describeOnMongo = (name: string, suite: (stores: MongoStores) => void): void =>
  withServer(name, 'TEST_MONGODB_URL', (server) => {
    describe(name, () => {
      let database: ReturnType<typeof newDatabase>;
      const opened: ReadModelStore[] = [];
      beforeEach(() => {
        database = newDatabase(server);
      });
      suite({
        url: () => database.url,
        open() {
          const store = openMongoReadModels({ url: database.url });
          opened.push(store);
          return store;
        },
      });
      // After the suite's own hooks, which may stop what still uses the stores.
      afterEach(async () => {
        for (const store of opened.splice(0)) await store.close();
        await database.drop();
      });
    });
  });

import { MongoClient, MongoServerError } from 'mongodb';
import { UnusableServer } from '../../errors/http-error.ts';
import { inTime } from '../../lib/with-timeout.ts';
import { NO_ANSWER, type Ask } from './answers.ts';

const SERVER_SELECTION_MS = 4_000;
/** Longer than any operation takes that says nothing else. */
const MOST_MS = 15_000;

/** The server's code for a document whose key is taken. */
const DUPLICATE_KEY = 11_000;

/** Of an insert in which another client was faster. @throws every other error */
export const nullIfDuplicate = (error: unknown): null => {
  if (error instanceof MongoServerError && error.code === DUPLICATE_KEY) return null;
  throw error;
};

export interface Connection {
  readonly client: MongoClient;
  readonly ask: Ask;
  readonly close: () => Promise<void>;
}

/** What all that is kept in MongoDB is asked by; it connects when it is asked first. @throws Error for no connection string */
export const openConnection = (url: string): Connection => {
  const client = new MongoClient(url, {
    writeConcern: { w: 'majority' },
    // A reader must see what a checkpoint says, and nothing that a new primary would take back.
    readPreference: 'primary',
    readConcern: { level: 'majority' },
    ignoreUndefined: true,
    serverSelectionTimeoutMS: SERVER_SELECTION_MS,
    appName: 'hiring',
  });
  let isClosed = false;
  return {
    client,
    ask(act, milliseconds = MOST_MS) {
      // The driver would open a closed client again, and keep the process alive with it.
      if (isClosed) return Promise.reject(new Error('The connection to MongoDB was closed'));
      // One whose first connection has failed stays closed until it is told to connect; one that is connected stays so.
      const answer = client.connect().then(() => act(client.db()));
      return inTime(answer, milliseconds, NO_ANSWER);
    },
    close() {
      isClosed = true;
      return client.close();
    },
  };
};

const STANDALONE =
  'READ_MODEL_URL names a standalone MongoDB server, which has no transactions; allowed: a replica set, of one member at least (start mongod with --replSet hiring and run rs.initiate() in mongosh once), or a sharded cluster';

/** @throws UnusableServer for a server that is neither in a replica set nor in a sharded cluster */
export const refuseStandalone = async (ask: Ask): Promise<void> => {
  const { setName, msg } = await ask((db) => db.command({ hello: 1 }));
  if (setName === undefined && msg !== 'isdbgrid') throw new UnusableServer(STANDALONE);
};

import {
  MongoClient,
  MongoNetworkError,
  MongoNotConnectedError,
  MongoServerError,
  MongoServerSelectionError,
  MongoTopologyClosedError,
  type MongoClientOptions,
} from 'mongodb';
import { StoreUnavailableError } from '../../errors/store-unavailable.ts';
import { UnusableServerError } from '../../errors/unusable-server.ts';
import { withTimeout } from '../../lib/with-timeout.ts';
import { MONGODB_NO_ANSWER, type RunOnDatabase } from './run-on-database.ts';

const SERVER_SELECTION_MS = 4_000;
/** Longer than any operation takes that sets no limit of its own. */
const MAX_MS = 15_000;

/** Of a server that ends, or is primary no more (MongoDB's error codes; its specification of "not primary" errors). */
const PASSING_CODES: readonly unknown[] = [91, 189, 10_058, 10_107, 11_600, 11_602, 13_435, 13_436];

/** Whether the server cannot be reached now. */
const isAway = (error: unknown): boolean =>
  error instanceof MongoNetworkError ||
  error instanceof MongoServerSelectionError ||
  error instanceof MongoNotConnectedError ||
  error instanceof MongoTopologyClosedError ||
  (error instanceof MongoServerError && PASSING_CODES.includes(error.code));

/** Whether another client has inserted first. */
export const isDuplicateKeyError = (error: unknown): boolean =>
  error instanceof MongoServerError && error.code === 11_000;

/** Null where another client has inserted first. @throws every other error */
export const nullIfDuplicateKey = (error: unknown): null => {
  if (isDuplicateKeyError(error)) return null;
  throw error;
};

export interface MongoConnection {
  readonly client: MongoClient;
  readonly ask: RunOnDatabase;
  readonly close: () => Promise<void>;
}

/** Names of options in a connection string that a message of the driver tells of, but never their values. */
const optionsIn = (url: string, message: string): readonly string[] =>
  [...new URLSearchParams(url.replace(/^[^?]*\??/, '')).keys()].filter((name) =>
    message.toLowerCase().includes(name.toLowerCase()),
  );

/** @throws UnusableServerError for options that the driver does not take: it alone knows them all */
const createClient = (url: string, options: MongoClientOptions): MongoClient => {
  try {
    return new MongoClient(url, options);
  } catch (error) {
    const named = optionsIn(url, error instanceof Error ? error.message : '').join(', ');
    throw new UnusableServerError(
      `READ_MODEL_URL has options that the MongoDB driver does not take${named && `: ${named}`}; allowed: those of its connection strings`,
    );
  }
};

/**
 * A MongoDB client, which connects at the first operation. @throws UnusableServerError for options that there are not
 */
export const createMongoConnection = (url: string): MongoConnection => {
  const client = createClient(url, {
    writeConcern: { w: 'majority' },
    // A reader must see all that a checkpoint covers, and nothing that a new primary would roll back.
    readPreference: 'primary',
    readConcern: { level: 'majority' },
    ignoreUndefined: true,
    serverSelectionTimeoutMS: SERVER_SELECTION_MS,
    appName: 'hiring',
  });
  let isClosed = false;
  return {
    client,
    ask(act, milliseconds = MAX_MS) {
      // The driver would reopen a closed client, which would keep the process alive.
      if (isClosed) return Promise.reject(new Error('The connection to MongoDB was closed'));
      // A client whose first connection failed stays closed until it is told to connect.
      const answer = client.connect().then(() => act(client.db()));
      const late = new Error(`no answer within ${milliseconds} ms`);
      return withTimeout(answer, milliseconds, late).catch((error: unknown) => {
        throw error === late || isAway(error) ? new StoreUnavailableError(MONGODB_NO_ANSWER, { cause: error }) : error;
      });
    },
    close() {
      isClosed = true;
      return client.close();
    },
  };
};

const STANDALONE =
  'READ_MODEL_URL names a standalone MongoDB server, which has no transactions; allowed: a replica set, of one member at least (start mongod with --replSet hiring and run rs.initiate() in mongosh once), or a sharded cluster';

/** @throws UnusableServerError for a server that is neither in a replica set nor in a sharded cluster */
export const refuseStandalone = async (ask: RunOnDatabase): Promise<void> => {
  const { setName, msg } = await ask((db) => db.command({ hello: 1 }));
  if (setName === undefined && msg !== 'isdbgrid') throw new UnusableServerError(STANDALONE);
};

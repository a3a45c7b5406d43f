import { MongoClient, MongoServerError, type Db } from 'mongodb';
import { UnusableServer } from '../errors.ts';
import { answered } from './mongodb-answers.ts';

const SERVER_SELECTION_MS = 4_000;

/** The server's code for a document whose key is taken. */
const DUPLICATE_KEY = 11_000;

/** Of an insert in which another client was faster. @throws every other error */
export const nullIfDuplicate = (error: unknown): null => {
  if (error instanceof MongoServerError && error.code === DUPLICATE_KEY) return null;
  throw error;
};

/** A client that is not connected yet, as all that is kept in MongoDB needs it. @throws Error for no connection string */
export const clientFor = (url: string): MongoClient =>
  new MongoClient(url, {
    writeConcern: { w: 'majority' },
    // A reader must see what a checkpoint says, and nothing that a new primary would take back.
    readPreference: 'primary',
    readConcern: { level: 'majority' },
    ignoreUndefined: true,
    serverSelectionTimeoutMS: SERVER_SELECTION_MS,
    appName: 'hiring',
  });

/**
 * The database that the connection string names. A client whose first connection has failed stays closed until it is told to
 * connect; one that is connected stays so.
 *
 * @throws Error when no server is found in time
 */
export const connected = async (client: MongoClient): Promise<Db> => (await client.connect()).db();

const STANDALONE =
  'READ_MODEL_URL names a standalone MongoDB server, which has no transactions; allowed: a replica set, of one member at least (start mongod with --replSet hiring and run rs.initiate() in mongosh once), or a sharded cluster';

/** @throws UnusableServer for a server that is neither in a replica set nor in a sharded cluster */
export const refuseStandalone = async (client: MongoClient): Promise<void> => {
  const db = await connected(client);
  const { setName, msg } = await answered(() => db.command({ hello: 1 }));
  if (setName === undefined && msg !== 'isdbgrid') throw new UnusableServer(STANDALONE);
};

import { MongoClient, type Db } from 'mongodb';

const SERVER_SELECTION_MS = 4_000;

/** The server's code for a document whose key is taken. */
export const DUPLICATE_KEY = 11_000;

/** A client that is not connected yet, as all that is kept in MongoDB needs it. @throws Error for no connection string */
export const clientFor = (url: string): MongoClient =>
  new MongoClient(url, {
    writeConcern: { w: 'majority' },
    // A reader must see what a checkpoint says.
    readPreference: 'primary',
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

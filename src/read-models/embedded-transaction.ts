import type { Connection } from '../sqlite/connections.ts';

/** Documents in a transaction: the more share one, the fewer times a page is written. */
const MOST_WAITING = 200_000;
/** And since the one before: what a slow build has stored is not lost with the process. */
const LONGEST_MS = 10_000;

const asError = (thrown: unknown): Error => (thrown instanceof Error ? thrown : new Error(String(thrown)));

const lostError = () =>
  new Error('What was committed since the last flush was lost in a failure of the file; fold it again');

/**
 * The transaction that all projections share until it is flushed. SQLite rolls back the whole of it by itself when a disk
 * is full or fails. So that nobody takes for stored what was lost, each projection that had a part in it is told at its
 * next commit, and those who wait for a flush are told by the next one.
 *
 * @param undone called when something was rolled back
 */
export const shareTransaction = (connection: Connection, undone: () => void) => {
  /** Whose commits wait for the next flush, and how many documents they have. */
  const holders = new Set<string>();
  let waiting = 0;
  let endedAt = performance.now();
  /** Whose commits were lost, until they are told. */
  const losers = new Set<string>();
  let isFlushFalse = false;

  const commitAll = (): void => {
    if (connection.inTransaction) connection.exec('COMMIT');
    holders.clear();
    waiting = 0;
    endedAt = performance.now();
  };

  const rollBackAll = (): void => {
    try {
      if (connection.inTransaction) connection.exec('ROLLBACK');
    } catch {
      // It came to this by an error that says more.
    }
    for (const name of holders) losers.add(name);
    holders.clear();
    waiting = 0;
  };

  /** Undoes what a projection did last; or all, where nothing less can be undone or SQLite has done so. */
  const undo = (name: string): void => {
    undone();
    try {
      connection.exec('ROLLBACK TO one; RELEASE one');
    } catch {
      holders.delete(name);
      isFlushFalse ||= holders.size > 0;
      rollBackAll();
    }
  };

  const finish = (): Promise<void> => {
    try {
      commitAll();
      return Promise.resolve();
    } catch (error) {
      undone();
      isFlushFalse ||= holders.size > 0;
      rollBackAll();
      return Promise.reject(asError(error));
    }
  };

  return {
    /** To be called when a projection begins at its checkpoint: it needs not be told what it lost. */
    begin: (name: string): void => {
      losers.delete(name);
    },
    /**
     * Does all of it or nothing.
     *
     * @param documents how many it stores
     */
    together: (name: string, documents: number, act: () => void): Promise<void> => {
      if (losers.delete(name)) return Promise.reject(lostError());
      try {
        if (!connection.inTransaction) connection.exec('BEGIN IMMEDIATE');
        connection.exec('SAVEPOINT one');
        act();
        connection.exec('RELEASE one');
        holders.add(name);
        waiting += documents;
        if (waiting >= MOST_WAITING || performance.now() - endedAt >= LONGEST_MS) commitAll();
        return Promise.resolve();
      } catch (error) {
        undo(name);
        return Promise.reject(asError(error));
      }
    },
    /** Commits the transaction, and tells nobody of what was lost before. */
    finish,
    flush: async (): Promise<void> => {
      try {
        if (isFlushFalse) throw lostError();
        await finish();
      } finally {
        isFlushFalse = false;
      }
    },
  };
};

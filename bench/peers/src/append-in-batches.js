// @ts-check
/**
 * @typedef {import('@event-driven-io/emmett-sqlite').SQLiteEventStore} Store
 * @typedef {Awaited<ReturnType<import('./store.js').openStore>>['connection']} Connection
 * @typedef {import('./our-events.js').Row} Row
 */

const EVENTS_PER_TRANSACTION = 1_000;

/** @param {Row} row */
const toEvent = ({ id, type, data, metadata }) => ({
  type,
  data: JSON.parse(data),
  metadata: { ...JSON.parse(metadata), messageId: id },
});

/**
 * Neighbours in the log that are of one stream; one append takes them together.
 *
 * @param {readonly Row[]} rows
 */
const runsOf = (rows) => {
  /** @type {{ stream: string, first: Row, rows: Row[] }[]} */
  const runs = [];
  for (const row of rows) {
    const run = runs.at(-1);
    if (run?.stream === row.stream) run.rows.push(row);
    else runs.push({ stream: row.stream, first: row, rows: [row] });
  }
  return runs;
};

/**
 * Appends events in the order in which they come, many to a transaction: Emmett's transactions nest, and only the outer
 * one commits.
 *
 * @param {Store} store
 * @param {Connection} connection the one that the store uses
 * @param {AsyncIterable<Row>} events
 * @returns {Promise<{ events: number, appends: number }>} how many. It fails when an event does not get the place in
 *   the log and in its stream that it had.
 */
export const appendInBatches = async (store, connection, events) => {
  const counts = { events: 0, appends: 0 };

  /** @param {readonly Row[]} rows */
  const append = async (rows) => {
    for (const { stream, first, rows: run } of runsOf(rows)) {
      const { lastEventGlobalPosition } = await store.appendToStream(stream, run.map(toEvent), {
        expectedStreamVersion: BigInt(first.revision),
      });
      counts.events += run.length;
      counts.appends += 1;
      if (lastEventGlobalPosition !== BigInt(run.at(-1)?.position ?? 0))
        throw new Error(`The event after position ${first.position} came to stand at ${lastEventGlobalPosition}`);
    }
  };

  /** @type {Row[]} */
  let batch = [];
  const flush = async () => {
    await connection.withTransaction(() => append(batch));
    batch = [];
  };
  for await (const event of events) {
    batch.push(event);
    if (batch.length === EVENTS_PER_TRANSACTION) await flush();
  }
  if (batch.length > 0) await flush();
  return counts;
};

import { expect } from 'chai';
import { START_POSITION, type EventLog } from '../../../src/event-store/port.ts';
import { readModelRowsAt } from '../../../src/history/moment/all-rows.ts';
import { noMask } from '../../../src/history/moment/mask.ts';
import { historyReadModels } from '../../../src/history/moment/history-read-models.ts';

describe('All rows of a read model', () => {
  const MANY = 10_000;
  /** An event log that is read without a pause, as a file is, and how many batches of it were read. */
  const stage = () => {
    let read = 0;
    const readGroups: EventLog['readGroups'] = async function* (_, signal) {
      for (; read < MANY && !signal.aborted; read++)
        yield await Promise.resolve({ texts: [], ended: undefined, of: MANY });
    };
    return { log: { readGroups }, read: () => read };
  };

  for (const readModel of historyReadModels)
    it(`are no longer read once that is of no use: ${readModel.name}`, async () => {
      const { log, read } = stage();
      const leaving = new AbortController();
      setImmediate(() => leaving.abort());
      const rows = readModelRowsAt(
        log,
        readModel,
        { at: null, position: START_POSITION },
        { mask: noMask, signal: leaving.signal },
      );
      for await (const batch of rows) expect(batch).to.deep.equal([]);
      expect(read()).to.be.lessThan(MANY);
    });
});

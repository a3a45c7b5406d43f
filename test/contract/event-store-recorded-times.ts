import { expect } from 'chai';
import { createRepository } from '../../src/application/repository.ts';
import { createEventMetadataFactory } from '../../src/application/event-metadata-factory.ts';
import { createTransact, sleep } from '../../src/application/transact.ts';
import { defineEvent } from '../../src/streams/events.ts';
import type { EventStore } from '../../src/event-store/port.ts';
import { newEvent, newStream } from './new-events.ts';

const decider = {
  category: 'contract',
  events: [defineEvent('ContractTried', 'A contract was tried.', {})],
  initialState: null,
  evolve: (state: null) => state,
} as const;

/** What commands append, in any store; `current` gives the store that is open. */
export const recordedTimesContract = (current: () => EventStore): void => {
  describe('recorded times of a stream', () => {
    const minute = (number: number) => `2026-03-01T09:${String(number).padStart(2, '0')}:00.000Z`;
    /** An instance with a clock of its own, which appends one event at each of some minutes. */
    const instance = () => {
      const transact = createTransact(current(), createRepository(current()), sleep);
      return async (id: string, ...minutes: readonly number[]): Promise<void> => {
        for (const each of minutes)
          await transact({
            decider,
            id,
            decide: () => [{ type: 'ContractTried' as const, data: {} }],
            outcome: () => null,
            stamp: createEventMetadataFactory('actor', 'request', {
              clock: () => new Date(minute(each)),
              ids: { uuid: () => newEvent().id, code: () => '' },
            }),
          });
      };
    };

    it('never go back where a clock does, nor where clocks of instances differ', async () => {
      const stream = newStream();
      const id = stream.replace(/^contract-/, '');
      const [fast, slow] = [instance(), instance()];
      await fast(id, 30, 20, 40);
      await slow(id, 10, 50);
      await fast(id, 45);
      const times = (await current().readStream(stream)).map(({ metadata }) => metadata['recordedAt']);
      expect(times).to.deep.equal([30, 30, 40, 40, 50, 50].map(minute));
    });
  });
};

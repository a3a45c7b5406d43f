import { expect } from 'chai';
import { UnitOfWork } from '../src/unit-of-work.ts';
import { defineCollection } from '../src/read-models/port.ts';
import { openMemoryReadModels } from './memory-stores.ts';

const things = defineCollection<{ number: number }>({ name: 'things', partition: 'id', indexes: [] });

describe('A long fold', () => {
  it('lets the event loop go in between, though the store answers at once', async () => {
    const documents = new UnitOfWork(openMemoryReadModels());
    let turns = 0;
    let isFolding = true;
    const turn = () => {
      turns++;
      if (isFolding) setImmediate(turn);
    };
    setImmediate(turn);

    const until = performance.now() + 200;
    while (performance.now() < until) await documents.get(things, 'one');
    isFolding = false;
    expect(turns).to.be.greaterThan(5);
  });
});

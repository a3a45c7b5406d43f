import { expect } from 'chai';
import { sayDropped } from '../../src/cli/parts/dropped.ts';

describe('A command whose subscription is dropped', () => {
  it('says in one line that it waits for the server', () => {
    const told: string[] = [];
    sayDropped(new Error('14 UNAVAILABLE:\nno connection'), (line) => told.push(line));
    expect(told).to.deep.equal([
      '\nEventStoreDB has stopped answering, and is waited for: 14 UNAVAILABLE: no connection\n',
    ]);
  });
});

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { openWorker } from '../src/sqlite/worker-channel.ts';
import { newEvent } from './contract/new-events.ts';

describe('The channel to a worker', () => {
  it('fails what cannot be sent, and goes on', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'channel-'));
    const script = new URL('../src/event-store/embedded-writer.js', import.meta.url);
    const channel = await openWorker(script, { file: join(directory, 'events.db') });
    try {
      const [outcome] = await Promise.allSettled([channel.ask(() => undefined)]);
      expect(String(outcome.status === 'rejected' && outcome.reason)).to.match(/could not be cloned/);
      const append = { stream: 's', expectedRevision: -1, events: [newEvent()] };
      expect(await channel.ask(append)).to.include({ kind: 'appended' });
    } finally {
      await channel.close();
      await rm(directory, { recursive: true });
    }
  });
});

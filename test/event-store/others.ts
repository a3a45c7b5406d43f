import { randomUUID } from 'node:crypto';
import { EventStoreDBClient, jsonEvent } from '@eventstore/db-client';
import { toPosition } from '../../src/event-store/eventstoredb/client-events.ts';
import { recordAt } from '../../src/event-store/eventstoredb/records.ts';
import type { Position } from '../../src/event-store/port.ts';
import { eventually } from '../support/eventually.ts';

/** Another service on the same EventStoreDB; a scavenge leaves only the last event of its stream. */
export interface Others {
  /** Appends so many events; gives the position of the last. */
  append(count: number): Promise<Position>;
  /** Whether the record at a position is of this service. */
  wrote(position: Position): Promise<boolean>;
  /** Removes events that streams no longer keep; resolves when the scavenge has ended. */
  scavenge(): Promise<void>;
  close(): Promise<void>;
}

const BATCH = 500;

export const openOthers = async (url: string): Promise<Others> => {
  const client = EventStoreDBClient.connectionString(url);
  const stream = `other-${randomUUID()}`;
  await client.setStreamMetadata(stream, { maxCount: 1 });
  const admin = url.replace(/^esdb:/, 'http:').replace(/\/?\?.*$/, '');

  const isCompleted = async (id: string): Promise<boolean> => {
    const types: string[] = [];
    // Read to its end: a read that is left open keeps the client from closing.
    for await (const { event } of client.readStream(`$scavenges-${id}`)) types.push(event?.type ?? '');
    return types.includes('$scavengeCompleted');
  };
  return {
    async append(count) {
      let last: Position | undefined;
      for (let left = count; left > 0; left -= BATCH) {
        const events = Array.from({ length: Math.min(left, BATCH) }, () => jsonEvent({ type: 'Other', data: {} }));
        const { position } = await client.appendToStream(stream, events);
        last = position && toPosition(position);
      }
      if (last === undefined) throw new Error('Nothing was appended');
      return last;
    },
    async wrote(position) {
      return (await recordAt(client, position))?.streamId === stream;
    },
    async scavenge() {
      const answer = await (await fetch(`${admin}/admin/scavenge`, { method: 'POST' })).text();
      const [, id] = /ScavengeId: (\S+)/.exec(answer) ?? [];
      if (id === undefined) throw new Error(`No scavenge was begun: ${answer}`);
      await eventually('the server has scavenged', () => isCompleted(id));
    },
    close: () => client.dispose(),
  };
};

import { randomUUID } from 'node:crypto';
import { EventStoreDBClient, jsonEvent, streamNameFilter } from '@eventstore/db-client';
import { Type } from '../../src/schema/typebox.ts';
import { deciders } from '../../src/domain/index.ts';
import { collectLatencies } from '../load/latencies.ts';
import { answerParent } from './answering.ts';
import { countCpuTime } from './cpu-time.ts';

/**
 * The baselines: the client as its own documentation uses it. One loop that only counts what a subscription gives, or
 * callers that each append one event after the other to streams of their own.
 */
const Request = Type.Union([
  Type.Object({
    kind: Type.Literal('count'),
    url: Type.String(),
    prefix: Type.String(),
    events: Type.Integer({ minimum: 1 }),
  }),
  Type.Object({
    kind: Type.Literal('append'),
    url: Type.String(),
    prefix: Type.String(),
    callers: Type.Integer({ minimum: 1 }),
    seconds: Type.Number(),
  }),
]);

const WARM_UP_MS = 1_000;

const count = async (client: EventStoreDBClient, prefix: string, events: number) => {
  const prefixes = deciders.map(({ category }) => `${prefix}${category}-`);
  const started = performance.now();
  const cpuTime = countCpuTime();
  let counted = 0;
  const subscription = client.subscribeToAll({ filter: streamNameFilter({ prefixes }) });
  for await (const { event } of subscription) {
    if (event) counted++;
    if (counted >= events) break;
  }
  const seconds = (performance.now() - started) / 1_000;
  return { perSecond: counted / seconds, seconds, cpuMicros: cpuTime() / counted };
};

const append = async (client: EventStoreDBClient, prefix: string, callers: number, seconds: number) => {
  const latencies = collectLatencies();
  const begin = performance.now() + WARM_UP_MS;
  const end = begin + seconds * 1_000;
  const cpuTime = countCpuTime();
  let appended = 0;
  const call = async (): Promise<void> => {
    for (let number = 0; ; number++) {
      const started = performance.now();
      if (started >= end) return;
      const [id, requestId] = [randomUUID(), randomUUID()];
      const event = jsonEvent({
        type: 'PostingSaved',
        data: { professionalId: `professional-${id}`, postingId: `posting-${number}` },
        metadata: { actor: `user-${id}`, requestId, recordedAt: new Date().toISOString(), schemaVersion: 1 },
      });
      await client.appendToStream(`${prefix}savedPostings-${id}`, event, { expectedRevision: 'no_stream' });
      appended++;
      if (started >= begin) latencies.add(performance.now() - started);
    }
  };
  await Promise.all(Array.from({ length: callers }, call));
  return { ...latencies.over(seconds), cpuMicros: cpuTime() / appended };
};

answerParent(Request, async (request) => {
  const client = EventStoreDBClient.connectionString(request.url);
  const result =
    request.kind === 'count'
      ? await count(client, request.prefix, request.events)
      : await append(client, request.prefix, request.callers, request.seconds);
  await client.dispose();
  return result;
});

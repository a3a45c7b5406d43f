import { Type } from '../../src/schema/typebox.ts';
import { openEmbeddedEventStore } from '../../src/event-store/embedded/event-store.ts';
import { NO_STREAM, type EventData } from '../../src/event-store/port.ts';
import { randomIds } from '../../src/ports/ids.ts';
import { collectLatencies } from '../load/latencies.ts';
import { answerParent } from './answering.ts';
import { openBareStore } from './bare-store.ts';

const Request = Type.Object({
  kind: Type.Enum(['store', 'bare']),
  file: Type.String(),
  callers: Type.Integer({ minimum: 1 }),
  seconds: Type.Number(),
});

interface Appending {
  append(stream: string, revision: number, event: EventData): Promise<void>;
  close(): Promise<void>;
}

const openStore = async (file: string): Promise<Appending> => {
  const store = await openEmbeddedEventStore(file);
  return {
    async append(stream, revision, event) {
      const { kind } = await store.append({ stream, expectedRevision: revision - 1, events: [event] });
      if (kind !== 'appended') throw new Error(`An append to ${stream} was refused: ${kind}`);
    },
    close: () => store.close(),
  };
};

/** What saving a posting appends. */
const newEvent = (caller: number, revision: number): EventData => {
  const requestId = randomIds.uuid();
  return {
    id: randomIds.uuid(),
    type: 'PostingSaved',
    version: 1,
    data: { professionalId: `professional-${caller}`, postingId: `posting-${revision}` },
    metadata: {
      $correlationId: requestId,
      $causationId: requestId,
      actor: `user-${caller}`,
      requestId,
      recordedAt: new Date().toISOString(),
    },
  };
};

const WARM_UP_MS = 1_000;

answerParent(Request, async ({ kind, file, callers, seconds }) => {
  const appending = kind === 'store' ? await openStore(file) : await openBareStore(file);
  const latencies = collectLatencies();
  const begin = performance.now() + WARM_UP_MS;
  const end = begin + seconds * 1_000;

  const call = async (_: unknown, caller: number): Promise<void> => {
    for (let revision = NO_STREAM + 1; ; revision++) {
      const started = performance.now();
      if (started >= end) return;
      await appending.append(`savedPostings-${caller}`, revision, newEvent(caller, revision));
      if (started >= begin) latencies.add(performance.now() - started);
    }
  };
  await Promise.all(Array.from({ length: callers }, call));
  await appending.close();
  return latencies.over(seconds);
});

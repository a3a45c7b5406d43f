import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { EventStoreDBClient, JSONEventData, JSONType, Position } from '@eventstore/db-client';
import { until } from './until.ts';

/** An event as stored in its stream. */
export interface LoggedEvent {
  readonly type: string;
  readonly data: Readonly<Record<string, unknown>>;
}
type Data = LoggedEvent['data'];

/** Direct access to the event log: past the service, and past its links. */
export interface EventLog {
  /**
   * Appends at a revision, -1 for a new stream, and retries until it succeeds; the server stores repeated events once.
   */
  readonly append: (stream: string, revision: number, events: readonly JSONEventData[]) => Promise<void>;
  /** Empty for an unknown stream. */
  readonly read: (stream: string) => Promise<readonly LoggedEvent[]>;
  /** Appends events of another service; gives the position of one of the first, in the service's format. */
  readonly foreign: (events: number, how: { readonly isShortLived: boolean }) => Promise<string>;
  /** Removes events that streams no longer keep; resolves to whether the scavenge completed. */
  readonly scavenge: () => Promise<boolean>;
  readonly close: () => Promise<void>;
}

const AT_ONCE = 64;
const WITHIN_MS = 40_000;
const ANSWERS_WITHIN_MS = 5_000;
const PAUSE_MS = 100;
const BATCH = 100;
/** A scavenge rewrites only complete chunks; where chunks are small these events complete one. */
const [FILLERS, FILLER_BYTES] = [5, 950_000];
const DIGITS = 20;
const padded = (half: bigint): string => half.toString().padStart(DIGITS, '0');

const asJson = (value: unknown): JSONType => JSON.parse(JSON.stringify(value)) as JSONType;

/** An event as the service itself writes it, or with other metadata. */
export const eventOf = (
  type: string,
  data: Data,
  metadata: Data = {
    $correlationId: 'chaos',
    $causationId: 'chaos',
    actor: 'key:chaos',
    requestId: 'chaos',
    recordedAt: new Date().toISOString(),
    schemaVersion: 1,
  },
): JSONEventData => ({
  id: randomUUID(),
  type,
  contentType: 'application/json',
  data: asJson(data),
  metadata: asJson(metadata),
});

const isOfType = (error: unknown, type: string): boolean =>
  error instanceof Error && 'type' in error && error.type === type;

/** Retries until the server answers, which may be killed and restarted meanwhile. */
const untilAnswered = async <T>(what: string, act: () => Promise<T>): Promise<T> => {
  const end = performance.now() + WITHIN_MS;
  for (;;)
    try {
      return await act();
    } catch (error) {
      if (isOfType(error, 'wrong-expected-version') || performance.now() > end)
        throw new Error(`${what} has failed`, { cause: error });
      await delay(PAUSE_MS);
    }
};

/** @param prefix of the service's streams */
export const openEventLog = (client: EventStoreDBClient, url: string, prefix: string): EventLog => {
  const other = `elsewhere-${randomUUID()}`;
  const http = `http://${/^esdb:\/\/(?:[^@/]*@)?([^/?]+)/.exec(url)?.[1] ?? ''}`;
  const settings = { deadline: ANSWERS_WITHIN_MS };

  const appendAnywhere = (stream: string, events: JSONEventData[]) =>
    untilAnswered(`An append to ${stream}`, () => client.appendToStream(stream, events, settings));

  const read = (stream: string): Promise<readonly LoggedEvent[]> =>
    untilAnswered(`A read of ${stream}`, async () => {
      const found: LoggedEvent[] = [];
      try {
        for await (const { event } of client.readStream(stream, settings))
          if (event) found.push({ type: event.type, data: event.data as Data });
      } catch (error) {
        if (!isOfType(error, 'stream-not-found')) throw error;
      }
      return found;
    });

  return {
    async append(stream, revision, events) {
      const expectedRevision = revision < 0 ? 'no_stream' : BigInt(revision);
      await untilAnswered(`An append to ${stream}`, () =>
        client.appendToStream(prefix + stream, [...events], { ...settings, expectedRevision }),
      );
    },
    read: (stream) => read(prefix + stream),
    async foreign(events, { isShortLived }) {
      const stream = isShortLived ? `${other}-short` : other;
      if (isShortLived)
        await untilAnswered('To limit a foreign stream', () =>
          client.setStreamMetadata(stream, { maxCount: 1 }, settings),
        );
      let among: Position | undefined;
      for (let left = events; left > 0; left -= BATCH) {
        const some = Array.from({ length: Math.min(BATCH, left) }, () => eventOf('ElsewhereHappened', {}));
        const { position } = await appendAnywhere(stream, some);
        among ??= position;
      }
      const { commit = 0n, prepare = 0n } = among ?? {};
      return `${padded(commit)}/${padded(prepare)}`;
    },
    async scavenge() {
      const filler = 'x'.repeat(FILLER_BYTES);
      for (let left = FILLERS; left > 0; left--)
        await appendAnywhere(`${other}-filler`, [eventOf('Filled', { filler })]);
      const answer = await fetch(`${http}/admin/scavenge?startFromChunk=0&threads=1`, { method: 'POST' })
        .then(async (response) => ({ isOk: response.ok, text: await response.text() }))
        .catch(() => undefined);
      const id = /ScavengeId: ([\w-]+)/.exec(answer?.text ?? '')?.[1];
      // The server may be down, or busy with another scavenge.
      if (answer?.isOk !== true || id === undefined) return false;
      const isOver = async () => (await read(`$scavenges-${id}`)).some(({ type }) => type === '$scavengeCompleted');
      return until('a scavenge is over', isOver, WITHIN_MS).then(
        () => true,
        () => false,
      );
    },
    close: () => client.dispose(),
  };
};

/** Appends the first event of each of many streams. */
export const appendFirsts = async (
  log: Pick<EventLog, 'append'>,
  firsts: readonly { readonly stream: string; readonly event: JSONEventData }[],
): Promise<void> => {
  const left = firsts.values();
  const work = async () => {
    for (const { stream, event } of left) await log.append(stream, -1, [event]);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
};

import { eventDefinitions } from '../../../src/domain/index.ts';
import { START_POSITION, type EventLog, type Position } from '../../../src/event-store/port.ts';
import { toHistoryEvent } from '../../../src/history/moment/history-event.ts';
import { searchEvents } from '../../../src/history/moment/search.ts';
import { noIndex } from '../../../src/history/moment/entity-index.ts';
import { noMask, type Mask } from '../../../src/history/moment/mask.ts';
import { createMomentFinder } from '../../../src/history/moment/moment.ts';
import type { LoadedReplay } from '../../../src/history/replay/load.ts';
import { rowTexts } from '../../../src/history/replay/rows.ts';
import { resolveReplayEventTypes, replayEventsToState } from '../../../src/history/replay/replay-events.ts';

/** A projection as if it had been loaded. */
export const replayOf = (parts: Partial<LoadedReplay>): LoadedReplay => ({
  file: 'mine.ts',
  init: () => ({}),
  handlers: new Map(),
  rows: () => [],
  columns: undefined,
  needsPersonalData: false,
  ...parts,
});

/** One that counts events by type. */
export const counting = replayOf({
  init: () => new Map<string, number>(),
  handlers: new Map(
    eventDefinitions.map(({ type }) => [
      type,
      (event, state) => {
        const counts = state as Map<string, number>;
        counts.set(type, (counts.get(type) ?? 0) + 1);
        if ((event as { type: string }).type !== type) throw new Error('given another type');
      },
    ]),
  ),
  rows: (state) => [Object.fromEntries((state as Map<string, number>).entries())],
});

interface Replaying {
  readonly after?: Position;
  readonly upTo?: Position;
  readonly types?: readonly string[] | undefined;
  readonly stream?: string | undefined;
  readonly mask?: Mask;
  readonly signal?: AbortSignal;
}

/** The rows that a projection makes of an event log, and what else a replay tells. */
export const replayed = async (
  log: EventLog,
  replay: LoadedReplay,
  { mask = noMask, signal = new AbortController().signal, after = START_POSITION, upTo, types, stream }: Replaying = {},
) => {
  const end = await createMomentFinder(log)({});
  const range = { after, upTo: upTo ?? end.position };
  const filter = { types: resolveReplayEventTypes(replay, types), stream };
  const events = async function* () {
    for await (const recorded of searchEvents({ log, index: noIndex }, filter, range, signal))
      yield toHistoryEvent(recorded, mask);
  };
  const { state, ...told } = await replayEventsToState(replay, events(), { signal, onEvents: () => undefined });
  const rows: unknown[] = [];
  for await (const text of rowTexts(replay, state, end, signal)) rows.push(JSON.parse(text));
  return { rows, ...told };
};

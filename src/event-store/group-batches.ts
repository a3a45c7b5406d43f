import type { GroupBatch } from './port.ts';

/** An event as JSON of `RecordedEvent`; data and metadata may be any JSON. */
export interface GroupedEventJson {
  readonly group: string;
  readonly text: string;
}

/** Events with more JSON than this are read one by one. */
export const LONG_BYTES = 10_000;
/** Characters in a batch of several events; a longer event is a batch by itself. */
const MAX_TEXT = 500_000;

/**
 * Cuts events, sorted by group, into batches: between two groups where a batch is full; within a group at twice the
 * size, or where the text gets very long.
 */
export function* cutBatches(
  sorted: Iterable<GroupedEventJson>,
  batchSize: number,
): Generator<GroupBatch, void, undefined> {
  let groups: string[][] = [];
  let [size, length] = [0, 0];
  const take = (ended: string | undefined): GroupBatch => {
    const texts = groups.map((events) => `[${events.join()}]`);
    groups = [];
    [size, length] = [0, 0];
    return { texts, ended };
  };
  let current: string | undefined;
  for (const { group, text } of sorted) {
    const isFull = size >= batchSize || length >= MAX_TEXT / 2;
    const isOver = size >= 2 * batchSize || length + text.length > MAX_TEXT;
    const isNext = group !== current;
    if (size > 0 && (isOver || (isFull && isNext))) yield take(isNext ? current : undefined);
    const events = group === current ? groups.at(-1) : undefined;
    if (events) events.push(text);
    else groups.push([text]);
    current = group;
    size++;
    length += text.length;
  }
  if (current !== undefined) yield take(current);
}

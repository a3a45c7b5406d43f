import type { GroupBatch } from './port.ts';

/** An event as JSON of RecordedEvent; data and metadata may be any JSON. */
export interface GroupedText {
  readonly group: string;
  readonly text: string;
}

/**
 * Cuts events that are sorted by their groups into batches, between two groups where a batch is full; one that is twice as
 * large is cut within a group.
 */
export function* cutBatches(
  sorted: Iterable<GroupedText>,
  batchSize: number,
): Generator<GroupBatch, void, undefined> {
  let texts: string[] = [];
  const take = (ended: string | undefined): GroupBatch => {
    const text = `[${texts.join()}]`;
    texts = [];
    return { text, ended };
  };
  let current: string | undefined;
  for (const { group, text } of sorted) {
    if (current !== undefined && group !== current && texts.length >= batchSize) yield take(current);
    else if (texts.length >= 2 * batchSize) yield take(undefined);
    current = group;
    texts.push(text);
  }
  if (current !== undefined) yield take(current);
}

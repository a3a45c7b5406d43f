/** Joins items into batches of a size; the last one may be smaller, and none is empty. */
export async function* inBatches<T>(
  items: AsyncIterable<T>,
  size: number,
): AsyncGenerator<readonly T[], void, undefined> {
  let batch: T[] = [];
  for await (const item of items) {
    batch.push(item);
    if (batch.length < size) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}

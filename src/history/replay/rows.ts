import { setImmediate } from 'node:timers/promises';
import { invalid } from '../../errors/domain-error.ts';
import type { Moment } from '../moment/moment.ts';
import { describeReplayFailure } from './failure.ts';
import type { LoadedReplay } from './load.ts';

/** Rows, each as the text of a JSON object. */
export type RowTexts = AsyncGenerator<string, void, undefined>;

type Rows = Iterable<unknown> | AsyncIterable<unknown>;

/** Rows between two looks at what else is to be done, such as a signal. */
const PAUSE_AFTER = 1_000;

const isIterable = (value: unknown): value is Rows =>
  typeof value === 'object' && value !== null && (Symbol.iterator in value || Symbol.asyncIterator in value);

const textOf = (row: unknown): string => {
  const text: unknown = JSON.stringify(row);
  if (typeof text !== 'string' || !text.startsWith('{')) throw new Error('a row must be an object');
  return text;
};

/**
 * The rows that an analyst's projection makes of its state, as they are asked for.
 *
 * @param signal ends them: its reason is thrown
 * @throws DomainError where the projection fails
 */
export async function* rowTexts(
  { file, rows }: LoadedReplay,
  state: unknown,
  end: Moment,
  signal: AbortSignal,
): RowTexts {
  let count = 0;
  try {
    const iterable = rows(state, end);
    if (!isIterable(iterable)) throw new Error('rows must give an array, or be a generator');
    for await (const row of iterable) {
      yield textOf(row);
      if (++count % PAUSE_AFTER > 0) continue;
      await setImmediate();
      signal.throwIfAborted();
    }
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    throw invalid(`${file}: rows failed after ${count} of them: ${describeReplayFailure(file, error)}`);
  }
}

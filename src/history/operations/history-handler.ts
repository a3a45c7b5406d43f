import { toSerializedError } from '../../lib/serialized-error.ts';
import type { TaskContext, TaskHandler } from '../../lib/worker-task.ts';
import { openConcurrentEventLog, type EventStoreSettings, type ConcurrentEventLog } from '../../stores.ts';
import { maskBy, type Mask } from '../moment/mask.ts';
import type { Moment } from '../moment/moment.ts';
import { singleAnswerOperations, linesOperations } from './index.ts';
import { makeReport } from './report.ts';
import { asksToFollow, type HistoryContext } from './operation.ts';
import { toHistoryError } from './history-error.ts';
import type { HistoryProtocol, HistoryRequest } from './history-task.ts';
import { openLazyIndex } from './open-indexed-event-log.ts';
import { createReportFromLog } from './standalone-report.ts';

/** Characters of lines that are sent in one piece, or a few more. */
const PIECE_SIZE = 65_536;

interface Answer {
  readonly upTo?: Moment;
  readonly isFollowed?: boolean;
  readonly pieces: AsyncGenerator<string, void, undefined>;
}

async function* whole(text: string): AsyncGenerator<string, void, undefined> {
  yield await Promise.resolve(text);
}

/** Lines of JSON. One that is followed is sent at once; an answer that has an end ends with an empty line. */
async function* linesOf(objects: AsyncIterable<unknown>, isFollowed: boolean): AsyncGenerator<string, void, undefined> {
  let piece = '';
  for await (const each of objects) {
    piece += `${JSON.stringify(each)}\n`;
    if (!isFollowed && piece.length < PIECE_SIZE) continue;
    yield piece;
    piece = '';
  }
  if (!isFollowed) yield `${piece}\n`;
}

const answerOf = async (
  { operation: name, params, parameters }: HistoryRequest,
  opened: HistoryContext,
  signal: AbortSignal,
): Promise<Answer> => {
  const question = { params, parameters };
  const byLines = linesOperations.find((each) => each.name === name);
  if (byLines) {
    const { upTo, lines } = await byLines.open(question, opened, signal);
    return { upTo, isFollowed: asksToFollow(question), pieces: linesOf(lines, asksToFollow(question)) };
  }
  const operation = singleAnswerOperations.find((each) => each.name === name);
  if (!operation) throw new Error(`There is no operation ${name}`);
  return { pieces: whole(JSON.stringify(await operation.ask(question, opened))) };
};

const reportAnswer = async (
  { parameters }: HistoryRequest,
  log: ConcurrentEventLog,
  mask: Mask,
  signal: AbortSignal,
): Promise<Answer> => {
  const { provenance, page } = await createReportFromLog(log, mask, parameters, signal);
  return { upTo: provenance.to, pieces: whole(page) };
};

/** Answers questions about the history. */
export const createHistoryHandler = (): TaskHandler<HistoryProtocol> => {
  const posts = new Set<TaskContext<HistoryProtocol>['post']>();
  let opening: Promise<ConcurrentEventLog> | undefined;
  /** One event log for all questions: several clients of a server in one thread get in each other's way. */
  const openedLog = (settings: EventStoreSettings): Promise<ConcurrentEventLog> =>
    (opening ??= openConcurrentEventLog(settings, (error) => {
      // Reported once, with any of the questions.
      const [post] = posts;
      post?.({ error: toSerializedError(error) });
    }).catch((error: unknown) => {
      opening = undefined;
      throw error;
    }));

  return {
    async *run({ stores, maskSecret, question }, { signal, post }) {
      posts.add(post);
      try {
        const log = await openedLog(stores.eventStore);
        const { index, close } = openLazyIndex(log, stores, () => undefined);
        try {
          const mask = maskBy(question.isUnmasked ? undefined : maskSecret);
          const { upTo, isFollowed, pieces } = await (question.operation === makeReport.name
            ? reportAnswer(question, log, mask, signal)
            : answerOf(question, { source: { log, index, signal }, mask }, signal));
          // The first piece is made before the answer begins, so that an early failure has its status. One that is
          // followed may wait long for it, so it begins without.
          const first = isFollowed ? undefined : await pieces.next();
          yield { upTo };
          if (first && !first.done) yield first.value;
          if (!first?.done) yield* pieces;
        } finally {
          await close();
        }
      } catch (error) {
        throw toHistoryError(error);
      } finally {
        posts.delete(post);
      }
    },
    close: async () => (await opening?.catch(() => undefined))?.close(),
  };
};

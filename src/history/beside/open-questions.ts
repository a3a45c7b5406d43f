import { toSentError } from '../../lib/sent-error.ts';
import type { ThreadBody } from '../../lib/thread.ts';
import { openLog, type LogReader } from '../../stores.ts';
import { maskBy, type Mask } from '../moment/mask.ts';
import type { Moment } from '../moment/moment.ts';
import { historyOperations, linesOperations } from '../operations/index.ts';
import { makeReport } from '../operations/report.ts';
import { isFollowed, type OpenedHistory } from '../operations/operation.ts';
import type { FromHistory, HistoryThreadData, QuestionAsked, ToHistory } from './messages.ts';
import { noAnswer } from './no-answer.ts';
import { openIndexBeside } from './open-history.ts';
import { reportOf } from './report.ts';

/** Characters of lines that are sent in one piece, or a few more. */
const A_PIECE = 65_536;

interface Answer {
  readonly upTo?: Moment;
  readonly isFollowed?: boolean;
  readonly pieces: AsyncIterator<string, void>;
}

async function* whole(text: string): AsyncGenerator<string, void, undefined> {
  yield await Promise.resolve(text);
}

/** Lines of JSON. One that is followed is sent at once; an answer that has an end ends with an empty line. */
async function* linesOf(
  objects: AsyncIterable<unknown>,
  isFollowed: boolean,
): AsyncGenerator<string, void, undefined> {
  let piece = '';
  for await (const each of objects) {
    piece += `${JSON.stringify(each)}\n`;
    if (!isFollowed && piece.length < A_PIECE) continue;
    yield piece;
    piece = '';
  }
  if (!isFollowed) yield `${piece}\n`;
}

const answerOf = async (
  { operation: name, params, parameters }: QuestionAsked,
  opened: OpenedHistory,
  signal: AbortSignal,
): Promise<Answer> => {
  const question = { params, parameters };
  const byLines = linesOperations.find((each) => each.name === name);
  if (byLines) {
    const { upTo, lines } = await byLines.open(question, opened, signal);
    return { upTo, isFollowed: isFollowed(question), pieces: linesOf(lines, isFollowed(question)) };
  }
  const operation = historyOperations.find((each) => each.name === name);
  if (!operation) throw new Error(`There is no operation ${name}`);
  return { pieces: whole(JSON.stringify(await operation.ask(question, opened))) };
};

const reportAnswer = async (
  { parameters }: QuestionAsked,
  log: LogReader,
  mask: Mask,
  signal: AbortSignal,
): Promise<Answer> => {
  const { provenance, page } = await reportOf(log, mask, parameters, signal);
  return { upTo: provenance.to, pieces: whole(page) };
};

/** Tells a question when its next piece is wanted. */
interface Asker {
  readonly leaving: AbortController;
  want: () => void;
}

/** Resolves once the next piece is wanted, or none. */
const wanted = (asker: Asker): Promise<void> => {
  if (asker.leaving.signal.aborted) return Promise.resolve();
  return new Promise((resolve) => (asker.want = resolve));
};

/** Answers questions about the history, each when and as far as the service wants it. */
export const openQuestions = (
  { stores, maskSecret }: HistoryThreadData,
  post: (message: FromHistory) => void,
): Promise<ThreadBody<ToHistory>> => {
  const askers = new Map<number, Asker>();
  let opening: Promise<LogReader> | undefined;
  /** One event log for all questions: several clients of a server in one thread get in each other's way. */
  const openedLog = (): Promise<LogReader> =>
    (opening ??= openLog(stores.eventStore, (error) =>
      post({ kind: 'dropped', error: toSentError(error) }),
    ).catch((error: unknown) => {
      opening = undefined;
      throw error;
    }));

  const answer = async (number: number, question: QuestionAsked): Promise<void> => {
    const asker: Asker = { leaving: new AbortController(), want: () => undefined };
    askers.set(number, asker);
    const { signal } = asker.leaving;
    try {
      const log = await openedLog();
      const { index, close } = openIndexBeside(log, stores, () => undefined);
      try {
        const source = { log, index, signal };
        const mask = maskBy(question.isUnmasked ? undefined : maskSecret);
        const { upTo, isFollowed, pieces } = await (question.operation === makeReport.name
          ? reportAnswer(question, log, mask, signal)
          : answerOf(question, { source, mask }, signal));
        // The first piece is made before the answer begins, so that an early failure has its status. One that is
        // followed may wait long for it, so it begins without.
        let next = isFollowed ? undefined : await pieces.next();
        post({ kind: 'begun', number, upTo });
        for (;;) {
          await wanted(asker);
          if (signal.aborted) {
            await pieces.return?.();
            break;
          }
          const piece = next ?? (await pieces.next());
          next = undefined;
          if (piece.done) break;
          post({ kind: 'piece', number, text: piece.value });
        }
        post({ kind: 'end', number });
      } finally {
        await close();
      }
    } catch (error) {
      post({ kind: 'none', number, because: noAnswer(error) });
    } finally {
      askers.delete(number);
    }
  };

  const running = new Set<Promise<void>>();
  const begin = (number: number, question: QuestionAsked): void => {
    const answering = answer(number, question).finally(() => running.delete(answering));
    running.add(answering);
  };

  const leave = (asker: Asker | undefined): void => {
    asker?.leaving.abort();
    asker?.want();
  };

  let stop = (): void => undefined;
  const isToStop = new Promise<void>((resolve) => (stop = resolve));
  return Promise.resolve({
    hear(message) {
      switch (message.kind) {
        case 'ask':
          begin(message.number, message.question);
          return;
        case 'next':
          askers.get(message.number)?.want();
          return;
        case 'leave':
          leave(askers.get(message.number));
          return;
        case 'stop':
          stop();
      }
    },
    async run() {
      await isToStop;
      for (const asker of askers.values()) leave(asker);
      await Promise.all(running);
      await (await opening?.catch(() => undefined))?.close();
    },
  });
};

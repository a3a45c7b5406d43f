import { setTimeout as delay } from 'node:timers/promises';
import { ask, inWords, type Reply } from './ask.ts';
import type { Instance } from './instance.ts';
import type { Ledger } from './ledger.ts';
import { isShown } from './read-back.ts';
import type { Actor, Write } from './work-plan.ts';

/** The work of a run while it is under way. */
export interface Work {
  /** Resolves once no write is under way; none begins until `goOn`. */
  readonly hold: () => Promise<void>;
  readonly goOn: () => void;
  /** Resolves when all writes are acknowledged. @throws Error for a write that is refused, lost or not shown */
  readonly done: Promise<void>;
  /** Resolves when a write is acknowledged, or never will be. */
  readonly isAcknowledged: (name: string) => Promise<void>;
  /** The newest token of all writes. */
  readonly token: () => string;
  readonly counts: () => { readonly writes: number; readonly repeated: number };
}

const WITHIN_MS = 90_000;
const PAUSE_MS = 50;
const SERVER_FAULT = 500;
const CONFLICT = 409;

/** Has actors write concurrently; each write is retried at one instance after another until it is answered. */
export const startWork = (actors: readonly Actor[], instances: readonly Instance[], ledger: Ledger): Work => {
  const urlOf = (number: number) => instances[number % instances.length]?.running()?.url;
  let [writes, repeated, token] = [0, 0, ''];
  let [isHeld, isOver] = [false, false];
  let underWay = 0;
  const acknowledged = new Set<string>();
  const awaited = new Map<string, () => void>();

  const sendOnce = ({ via, isTwice, ...write }: Write, attempt: number): Promise<Reply | undefined> => {
    const question = { ...write, headers: { 'Idempotency-Key': write.name } };
    const replies = [via, ...(isTwice && attempt === 0 ? [via + 1] : [])].map((number) =>
      ask(urlOf(number + attempt), question),
    );
    // Either success counts; both replies are awaited, so that they come before the next write.
    return Promise.all(replies).then((all) => all.find((reply) => reply && reply.status < 300) ?? all[0]);
  };

  /** Resolves to the token, or to 'refused'. */
  const send = async (write: Write, mayBeRefused: boolean): Promise<string> => {
    const end = performance.now() + WITHIN_MS;
    for (let attempt = 0; ; attempt++) {
      while (isHeld) await delay(PAUSE_MS);
      underWay++;
      const reply = await sendOnce(write, attempt).finally(() => underWay--);
      if (reply && reply.status < 300) return reply.token ?? '';
      if (reply?.status === CONFLICT && mayBeRefused) return 'refused';
      if (reply && reply.status < SERVER_FAULT) throw new Error(`${write.name} is refused: ${inWords(reply)}`);
      if (performance.now() > end)
        throw new Error(`${write.name} is not acknowledged in ${WITHIN_MS} ms: ${inWords(reply)}`);
      if (isOver) throw new Error('The work has failed elsewhere');
      repeated++;
      await delay(PAUSE_MS);
    }
  };

  const act = async ({ writes: own, mayBeRefused }: Actor): Promise<void> => {
    for (const write of own) {
      await delay(write.pauseMs);
      const answer = await send(write, mayBeRefused);
      if (answer === 'refused') {
        ledger.refused(write);
        return;
      }
      writes++;
      ledger.acknowledged(write);
      acknowledged.add(write.name);
      awaited.get(write.name)?.();
      if (answer > token) token = answer;
      const { readBack } = write;
      if (readBack && (await isShown(urlOf(readBack.via), readBack.shown, answer)) === false)
        throw new Error(`${write.name} is acknowledged, and a read with its token at ${readBack.via} lacks it`);
    }
  };

  const done = Promise.all(actors.map(act)).then(
    () => undefined,
    (error: unknown) => {
      isOver = true;
      throw error;
    },
  );
  // Handled here: `done` is awaited only when the faults are over.
  done.catch(() => undefined);
  return {
    async hold() {
      isHeld = true;
      while (underWay > 0) await delay(PAUSE_MS);
    },
    goOn: () => void (isHeld = false),
    isAcknowledged(name) {
      const seen = new Promise<void>((resolve) => {
        if (acknowledged.has(name)) resolve();
        else awaited.set(name, resolve);
      });
      return Promise.race([seen, done.catch(() => undefined)]);
    },
    done,
    token: () => token,
    counts: () => ({ writes, repeated }),
  };
};

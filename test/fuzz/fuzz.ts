import { isObject } from '../../src/schema/json.ts';
import { START_POSITION } from '../../src/event-store/port.ts';
import type { Answer } from '../support/service.ts';
import { apiKeys } from '../support/examples.ts';
import { jwtSecret } from '../support/service.ts';
import { createJudge } from './judge.ts';
import { createMinted } from './minted.ts';
import { createPlan } from './plan.ts';
import { targetOf, type FuzzRequest, type Turn } from './request.ts';
import { createSender } from './send.ts';
import { startFuzzedService, type FuzzedService, type Health } from './service-child.ts';

/** What was sent, what was answered, and all that was wrong. */
export interface FuzzReport {
  readonly requests: number;
  /** How many answers had each status, and what came of requests without one. */
  readonly outcomes: ReadonlyMap<string, number>;
  /** The operations that were answered with a success. */
  readonly succeeded: ReadonlySet<string>;
  readonly events: number;
  /** Each begins with the number of its turn in the plan. */
  readonly faults: readonly string[];
  /** At even distances in the run; the first once caches have filled. */
  readonly health: readonly Health[];
}

export interface FuzzOptions {
  readonly requests: number;
  readonly seed: number;
  /** Told as it goes. */
  readonly onProgress?: (sent: number, health: Health) => void;
}

const SAMPLES = 10;
/** The judge looks at the events of so many turns at once. */
const TURNS_BETWEEN_LOOKS = 200;
const MAX_FAULTS = 20;

const describe = (request: FuzzRequest): string =>
  `${request.operation}: ${request.method} ${targetOf(request).slice(0, 200)}`;

const run = async (service: FuzzedService, { requests, seed, onProgress }: FuzzOptions): Promise<FuzzReport> => {
  const document: unknown = await (
    await fetch(`${service.url}/openapi.json`, { headers: { 'X-API-Key': apiKeys.client } })
  ).json();
  const judge = createJudge(document);
  const next = createPlan(seed, document, { ...apiKeys, jwtSecret });
  const minted = createMinted();
  const sender = createSender(service.url);
  const outcomes = new Map<string, number>();
  const succeeded = new Set<string>();
  const faults: string[] = [];
  const health: Health[] = [];
  let [sent, turns, events, judgedUpTo] = [0, 0, 0, START_POSITION];

  const note = (fault: string | undefined, of: string): void => {
    if (fault !== undefined) faults.push(`turn ${turns}: ${of}: ${fault}`);
  };
  const count = (outcome: string): void => void outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);

  const keep = async ({ keeps }: FuzzRequest, { status, headers, body }: Answer): Promise<void> => {
    const [token, tag] = [headers.get('Consistency-Token'), headers.get('ETag')];
    if (token !== null) minted.remember('consistency', 'last', token);
    if (tag !== null) minted.remember('etag', 'last', tag);
    if (!keeps || status >= 300 || !isObject(body)) return;
    for (const [name, value] of Object.entries(body))
      if (typeof value === 'string') minted.remember(name, keeps.key, value);
    const code = keeps.codeTo === undefined ? undefined : await service.codeTo(keeps.codeTo);
    if (code !== undefined) minted.remember('code', keeps.key, code);
  };

  const send = async (planned: FuzzRequest): Promise<Answer | undefined> => {
    const request = minted.filled(planned);
    sent++;
    const outcome = await sender.send(request);
    if (outcome.kind !== 'answered') {
      count(outcome.kind);
      if (outcome.kind === 'silent') note('no answer', describe(request));
      return undefined;
    }
    const { answer } = outcome;
    count(String(answer.status));
    note(judge.ofAnswer(request, answer), describe(request));
    if (answer.status < 300) succeeded.add(request.operation);
    await keep(request, answer);
    return answer;
  };

  const take = async (turn: Turn): Promise<void> => {
    switch (turn.kind) {
      case 'requests':
        if (turn.isTogether) await Promise.all(turn.requests.map(send));
        else for (const request of turn.requests) await send(request);
        return;
      case 'repeated': {
        const [first, second] = [await send(turn.request), await send(turn.request)];
        if (first && second) note(judge.ofRepeated(first, second), describe(turn.request));
        return;
      }
      case 'bytes': {
        sent++;
        count('bytes');
        note(judge.ofHead(await sender.sendBytes(turn.bytes, turn.patienceMs)), turn.bytes.toString('latin1'));
        return;
      }
      case 'clock':
        await service.advance(turn.minutes);
        return;
      case 'delivery':
        await service.failDeliveries(turn.isFailing);
        return;
    }
  };

  const judgeEvents = async (): Promise<void> => {
    for (;;) {
      const appended = await service.eventsAfter(judgedUpTo);
      const last = appended.at(-1);
      if (!last) break;
      events += appended.length;
      judgedUpTo = last.position;
      for (const fault of judge.ofEvents(appended)) note(fault, 'the event log');
    }
    judge.forget();
  };

  while (sent < requests && faults.length < MAX_FAULTS) {
    turns++;
    await take(next());
    if (turns % TURNS_BETWEEN_LOOKS === 0) await judgeEvents();
    if (sent < (requests / SAMPLES) * (health.length + 1)) continue;
    const measured = await service.health();
    health.push(measured);
    onProgress?.(sent, measured);
  }
  await judgeEvents();
  sender.close();
  return { requests: sent, outcomes, succeeded, events, faults, health };
};

/** Sends the requests of a plan to a service of its own, and judges every answer and event. */
export const fuzz = async (options: FuzzOptions): Promise<FuzzReport> => {
  const service = await startFuzzedService();
  try {
    return await run(service, options);
  } finally {
    await service.stop();
  }
};

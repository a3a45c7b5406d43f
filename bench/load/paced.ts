import { Agent, request as send } from 'node:http';
import { collectLatencies } from './latencies.ts';
import { inTurns } from './requests.ts';
import type { LoadResult, LoadSpec, Request } from './spec.ts';

/** Sends one request; resolves to its status when the whole answer is there. */
const answerOf = (url: string, agent: Agent, { method, path, headers, body }: Request): Promise<number> =>
  new Promise((resolve, reject) => {
    const length = body === undefined ? {} : { 'Content-Length': Buffer.byteLength(body) };
    const sent = send(url + path, { method, agent, headers: { ...headers, ...length } }, (answer) => {
      answer.resume();
      answer.once('end', () => resolve(answer.statusCode ?? 0));
      answer.once('error', reject);
    });
    sent.once('error', reject);
    sent.end(body);
  });

/**
 * A load at a rate: request n is due at n / rate seconds, whether or not those before it are answered, and its latency
 * counts from then. (autocannon sends a second's share at the second's beginning, as fast as it can.)
 *
 * @throws Error when an answer was no 2xx, or when one was missing
 */
export const runPacedLoad = async (spec: LoadSpec & { rate: number }): Promise<LoadResult> => {
  const { url, connections, seconds, rate, windowSeconds = seconds } = spec;
  // First in, first out: no connection is idle for so long that the server closes it.
  const agent = new Agent({ keepAlive: true, maxSockets: connections, scheduling: 'fifo' });
  const { next, sent } = inTurns(spec.sources);
  const latencies = collectLatencies();
  const windows = Array.from({ length: Math.ceil(seconds / windowSeconds) }, collectLatencies);
  const open = new Set<Promise<void>>();
  const faults: unknown[] = [];
  const started = performance.now();

  const sendAt = async (due: number): Promise<void> => {
    const status = await answerOf(url, agent, next());
    if (status < 200 || status > 299) throw new Error(`an answer with the status ${status}`);
    const milliseconds = performance.now() - started - due;
    latencies.add(milliseconds);
    windows[Math.floor(due / 1_000 / windowSeconds)]?.add(milliseconds);
  };
  const total = Math.floor(rate * seconds);
  let number = 0;
  await new Promise<void>((resolve) => {
    const ticking = setInterval(() => {
      for (; number < total && (number * 1_000) / rate <= performance.now() - started; number++) {
        const task = sendAt((number * 1_000) / rate)
          .catch((error: unknown) => void faults.push(error))
          .finally(() => open.delete(task));
        open.add(task);
      }
      if (number < total && faults.length === 0) return;
      clearInterval(ticking);
      resolve();
    }, 1);
  });
  await Promise.all(open);
  agent.destroy();
  if (faults.length > 0)
    throw new Error(`${faults.length} requests at a rate failed, the first with ${String(faults[0])}`);
  return {
    ...latencies.over((performance.now() - started) / 1_000),
    bytes: 0,
    sent,
    windows: windowSeconds === seconds ? [] : windows.map((window) => window.over(windowSeconds)),
  };
};

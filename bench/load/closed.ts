import { inspect } from 'node:util';
import autocannon from 'autocannon';
import { collectLatencies } from './latencies.ts';
import { inTurns } from './requests.ts';
import type { LoadResult, LoadSpec, Request } from './spec.ts';

/** Requests that are the same every time are made once; autocannon makes the others as it sends them. */
const preparedFor = ({ sources: [only, ...others] }: LoadSpec) =>
  only?.kind === 'repeated' && others.length === 0 ? only.requests : undefined;

/** The same list, beginning elsewhere, so that the connections do not ask for the same thing at once. */
const rotated = <T>(list: readonly T[], connection: number, connections: number): T[] => {
  const start = Math.floor((connection * list.length) / connections);
  return [...list.slice(start), ...list.slice(0, start)];
};

/** autocannon keeps its notes in the requests that it is given. */
const copyOf = (requests: readonly Request[]) => requests.map((request) => ({ ...request }));

/** However slow the server is. */
const LONGEST_SECONDS = 300;

/**
 * A load by autocannon: every connection sends its next request as soon as the last one is answered. It counts from
 * when each of them has had an answer (a busy server takes its time to accept them all), and until the time is over and
 * there were as many answers as connections.
 *
 * @throws Error when an answer had another status than expected, or when one was missing
 */
export const runClosedLoad = async (spec: LoadSpec): Promise<LoadResult> => {
  const { url, connections, seconds, status: expected } = spec;
  const isExpected = (status: number) =>
    expected === undefined ? status >= 200 && status <= 299 : status === expected;
  const prepared = preparedFor(spec);
  const { next, sent } = inTurns(spec.sources);
  const latencies = collectLatencies();
  let [connection, bytes, started, lastAnswer] = [0, 0, 0, 0];
  const faults = new Map<string, number>();
  const fault = (what: string) => faults.set(what, (faults.get(what) ?? 0) + 1);

  const options: autocannon.Options = {
    url,
    connections,
    duration: LONGEST_SECONDS,
    sampleInt: 100,
    requests: prepared ? copyOf(prepared.slice(0, 1)) : [{ setupRequest: (defaults) => ({ ...defaults, ...next() }) }],
    ...(prepared && {
      setupClient: (client) => client.setRequests(copyOf(rotated(prepared, connection++, connections))),
    }),
  };
  const begun = new Set<autocannon.Client>();
  const isEnough = () => lastAnswer - started >= seconds * 1_000 && latencies.count() >= connections;
  await new Promise<void>((resolve, reject) => {
    const running = autocannon(options, (error: unknown) => {
      if (error === null || error === undefined) resolve();
      else reject(error instanceof Error ? error : new Error(inspect(error)));
    });
    running.on('response', (client, status, size, milliseconds) => {
      if (!isExpected(status)) fault(`an answer with the status ${status}`);
      if (isEnough()) return;
      lastAnswer = performance.now();
      if (begun.size < connections) {
        begun.add(client);
        started = lastAnswer;
      } else {
        latencies.add(milliseconds);
        bytes += size;
      }
      if (isEnough() || faults.size > 0) running.stop();
    });
    running.on('reqError', (error) => {
      fault(inspect(error));
      running.stop();
    });
  });
  if (faults.size > 0)
    throw new Error(`The load met ${[...faults].map(([what, times]) => `${times} x ${what}`).join(', ')}`);
  if (!isEnough())
    throw new Error(
      `${url} gave ${latencies.count()} answers to ${begun.size} connections in ${LONGEST_SECONDS} s; allowed: one to each of ${connections}, and then as many again`,
    );
  const measured = latencies.over((lastAnswer - started) / 1_000);
  return { ...measured, bytes: bytes / measured.requests, sent, windows: [] };
};

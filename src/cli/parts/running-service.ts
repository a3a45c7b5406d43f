import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { loadListenAddress } from '../../config/config.ts';
import { Type } from '../../schema/typebox.ts';
import { createValidator } from '../../schema/validation.ts';
import { withTimeout } from '../../lib/with-timeout.ts';
import { readinessReasonText } from '../../monitoring/readiness.ts';
import type { StoreSettings } from '../../stores.ts';
import { oneLine } from '../../lib/escape-invisible.ts';
import { oneLineReason } from './cli-error.ts';
import { readDirectoryOwner } from './data-directory.ts';
import { findPortListener } from './port-listener.ts';
import { loadTerminalEnvironment, type Terminal } from './terminal.ts';

/** Longer than a busy service takes, and less than an operator is willing to wait. */
const ANSWER_MS = 2_000;

const NOT_READY = 'Not ready: ';

const check = createValidator(
  Type.Object({
    status: Type.Optional(Type.String()),
    error: Type.Optional(Type.String()),
    reason: Type.Optional(Type.String()),
    eventLog: Type.Optional(Type.String()),
    projections: Type.Optional(Type.Array(Type.Object({ projection: Type.String(), reason: Type.String() }))),
  }),
  'readiness',
);

/** A URL that can be asked, for one with a wildcard address. */
const reachable = (url: string): string => url.replace('//0.0.0.0:', '//127.0.0.1:').replace('//[::]:', '//[::1]:');

/** The state of a service, in words. */
export interface ServiceState {
  readonly text: string;
  /** Whether it is ready, or none is expected to be. */
  readonly isWell: boolean;
  /** Whether what answers is such a service; left out where nothing answers. */
  readonly isService?: boolean;
}

const unwell = (text: string): ServiceState => ({ text, isWell: false });

const answerOf = async (url: string): Promise<unknown> => {
  const answer = await fetch(`${reachable(url)}/health/ready`, { signal: AbortSignal.timeout(ANSWER_MS) });
  return answer.json();
};

const otherProgram = (message: string) => ({ ...unwell(`answers like another program: ${message}`), isService: false });

/** How ready a service says that it is; undefined where nothing answers. */
export const fetchServiceReadiness = async (url: string): Promise<ServiceState | undefined> => {
  const service = (text: string, isWell = false) => ({ text, isWell, isService: true });
  try {
    const checked = check(await withTimeout(answerOf(url), ANSWER_MS, 'no answer in time'));
    if (!checked.ok) return otherProgram(checked.message);
    const { status, error } = checked.value;
    if (error?.startsWith(NOT_READY)) return service(`is NOT READY: ${oneLine(error.replace(NOT_READY, ''))}`);
    if (status === undefined) return otherProgram('it does not say how ready it is');
    if (status === 'ready') return service('is ready: its writer and its projector answer', true);
    return service(`is ${status}: ${oneLine(readinessReasonText(checked.value))}`);
  } catch (error) {
    return error instanceof SyntaxError ? otherProgram(oneLineReason(error)) : undefined;
  }
};

/** The URL at which a service with this configuration listens. */
export const serviceUrlOf = ({ host, port }: Readonly<{ host: string; port: number }>): string =>
  `http://${host.includes(':') ? `[${host}]` : host}:${port}`;

/** The letter of a process's state, where Linux tells it: after its name, which may hold anything. */
const stateOf = (pid: number | string): string | undefined => {
  try {
    return /^.*\) (\S)/s.exec(readFileSync(`/proc/${pid}/stat`, 'utf8'))?.[1];
  } catch {
    return undefined;
  }
};

/** That a process does not answer and, by its state, why that may be and what to run next. */
const silenceOf = (pid: number | string, url: string): string => {
  const text = 'DOES NOT ANSWER';
  switch (stateOf(pid)?.toUpperCase() ?? '') {
    case 'T':
      return `${text}: it is stopped, as by SIGSTOP; kill -CONT ${pid} continues it`;
    case 'D':
      return `${text}: it waits for a disk or a file system; dmesg may say for which`;
    default:
      return `${text}: it runs: its connections may all be in use, or it is too busy; ss -tn sport = :${new URL(url).port} lists its connections, top -H -p ${pid} its busy threads`;
  }
};

const onFiles = async (directory: string): Promise<ServiceState> => {
  const owner = readDirectoryOwner(directory);
  if (!owner) return { text: `none runs on ${directory}`, isWell: true };
  const { pid, isRunning, since, url } = owner;
  const readiness = url === undefined ? undefined : await fetchServiceReadiness(url);
  if (url !== undefined && readiness !== undefined)
    return { ...readiness, text: `process ${pid}, since ${since}, at ${url} ${readiness.text}` };
  if (!isRunning) return unwell(`none runs on ${directory}; process ${pid}, there since ${since}, was killed`);
  return url === undefined
    ? {
        text: `process ${pid} has ${directory} since ${since}, and does not listen: it starts, or is another command`,
        isWell: true,
      }
    : unwell(`process ${pid}, since ${since}, at ${url} ${silenceOf(pid, url)}`);
};

/** Whether a service runs here, since when, and how ready it says that it is. */
export const readServiceState = async (terminal: Terminal, { eventStore }: StoreSettings): Promise<ServiceState> => {
  if (eventStore.kind === 'sqlite') return onFiles(dirname(resolve(eventStore.path)));
  const address = loadListenAddress(loadTerminalEnvironment(terminal));
  const url = serviceUrlOf(address);
  const readiness = await fetchServiceReadiness(url);
  if (readiness) return { ...readiness, text: `at ${url} ${readiness.text}` };
  const listener = findPortListener(address.port);
  return listener
    ? unwell(`${listener.text} listens at ${url}, and ${silenceOf(listener.pid, url)}`)
    : { text: `none answers at ${url}`, isWell: true };
};

import { dirname, resolve } from 'node:path';
import { loadAddress } from '../../config/config.ts';
import { Type } from '../../schema/typebox.ts';
import { checker } from '../../schema/validation.ts';
import { withTimeout } from '../../lib/with-timeout.ts';
import type { StoreSettings } from '../../stores.ts';
import { oneLine, reasonOf } from './cli-error.ts';
import { ownerOf } from './data-directory.ts';
import { environmentOf, type Terminal } from './terminal.ts';

/** Longer than a service that is busy takes, and less than an operator is willing to wait. */
const ANSWER_MS = 2_000;

const check = checker(
  Type.Object({
    status: Type.Optional(Type.String()),
    error: Type.Optional(Type.String()),
    reason: Type.Optional(Type.String()),
    eventLog: Type.Optional(Type.String()),
    projections: Type.Optional(Type.Array(Type.Object({ projection: Type.String(), reason: Type.String() }))),
  }),
  'readiness',
);

/** The address of this machine for one that stands for all of them. */
const reachable = (url: string): string =>
  url.replace('//0.0.0.0:', '//127.0.0.1:').replace('//[::]:', '//[::1]:');

/** How a service is, in words. */
export interface ServiceFinding {
  readonly text: string;
  /** Whether it is ready, or none is expected to be. */
  readonly isWell: boolean;
}

const unwell = (text: string): ServiceFinding => ({ text, isWell: false });

const answerOf = async (url: string): Promise<unknown> => {
  const answer = await fetch(`${reachable(url)}/health/ready`, { signal: AbortSignal.timeout(ANSWER_MS) });
  return answer.json();
};

/** How ready a service says that it is; undefined where none answers. */
const readinessOf = async (url: string): Promise<ServiceFinding | undefined> => {
  try {
    const checked = check(await withTimeout(answerOf(url), ANSWER_MS, 'no answer in time'));
    if (!checked.ok) return unwell(`answers as another program does: ${checked.message}`);
    const { status = '', error, reason, eventLog, projections = [] } = checked.value;
    if (error !== undefined) return unwell(`is NOT READY: ${oneLine(error.replace(/^Not ready: /, ''))}`);
    if (status === 'ready') return { text: 'is ready: its writer and its projector answer', isWell: true };
    const behind = projections.map(({ projection, reason: why }) => `${projection}: ${why}`);
    const reasons = [reason, eventLog, ...behind].filter((each) => each !== undefined);
    return unwell(`is ${status}: ${oneLine(reasons.join('; '))}`);
  } catch (error) {
    if (error instanceof SyntaxError) return unwell(`answers as another program does: ${reasonOf(error)}`);
    return undefined;
  }
};

const onFiles = async (directory: string): Promise<ServiceFinding> => {
  const owner = ownerOf(directory);
  if (!owner) return { text: `none runs on ${directory}`, isWell: true };
  const { pid, isRunning, since, url } = owner;
  const readiness = url === undefined ? undefined : await readinessOf(url);
  if (url !== undefined && readiness !== undefined)
    return { ...readiness, text: `process ${pid}, since ${since}, at ${url} ${readiness.text}` };
  if (!isRunning)
    return unwell(`none runs on ${directory}; process ${pid}, there since ${since}, was killed`);
  return url === undefined
    ? {
        text: `process ${pid} has ${directory} since ${since}, and does not listen: it starts, or is another command`,
        isWell: true,
      }
    : unwell(`process ${pid}, since ${since}, DOES NOT ANSWER at ${url} within ${ANSWER_MS / 1_000} s`);
};

/** Whether a service runs here, since when, and how ready it says that it is. */
export const findService = async (
  terminal: Terminal,
  { eventStore }: StoreSettings,
): Promise<ServiceFinding> => {
  if (eventStore.kind === 'sqlite') return onFiles(dirname(resolve(eventStore.path)));
  const { host, port } = loadAddress(environmentOf(terminal));
  const url = `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
  const readiness = await readinessOf(url);
  return readiness
    ? { ...readiness, text: `at ${url} ${readiness.text}` }
    : { text: `at ${url} none answers`, isWell: true };
};

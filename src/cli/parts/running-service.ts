import { dirname, resolve } from 'node:path';
import { loadAddress } from '../../config/config.ts';
import { Type } from '../../schema/typebox.ts';
import { checker } from '../../schema/validation.ts';
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
    projections: Type.Optional(Type.Array(Type.Object({ projection: Type.String(), reason: Type.String() }))),
  }),
  'readiness',
);

/** The address of this machine for one that stands for all of them. */
const reachable = (url: string): string =>
  url.replace('//0.0.0.0:', '//127.0.0.1:').replace('//[::]:', '//[::1]:');

/** How ready a service says that it is, in words; undefined where none answers. */
const readinessOf = async (url: string): Promise<string | undefined> => {
  try {
    const answer = await fetch(`${reachable(url)}/health/ready`, { signal: AbortSignal.timeout(ANSWER_MS) });
    const checked = check(await answer.json());
    if (!checked.ok) return `answers as another program does: ${checked.message}`;
    const { status = '', error, projections = [] } = checked.value;
    if (error !== undefined) return `is NOT READY: ${oneLine(error.replace(/^Not ready: /, ''))}`;
    if (status === 'ready') return 'is ready: its writer and its projector answer';
    return `is ${status}: ${projections.map(({ projection, reason }) => `${projection}: ${reason}`).join('; ')}`;
  } catch (error) {
    if (error instanceof SyntaxError) return `answers as another program does: ${reasonOf(error)}`;
    return undefined;
  }
};

const onFiles = async (directory: string): Promise<string> => {
  const owner = ownerOf(directory);
  if (!owner) return `none runs on ${directory}`;
  const { pid, isRunning, since, url } = owner;
  const readiness = url === undefined ? undefined : await readinessOf(url);
  if (url !== undefined && readiness !== undefined)
    return `process ${pid}, since ${since}, at ${url} ${readiness}`;
  if (!isRunning) return `none runs on ${directory}; process ${pid}, there since ${since}, was killed`;
  return url === undefined
    ? `process ${pid} has ${directory} since ${since}, and does not listen: it starts, or is another command`
    : `process ${pid}, since ${since}, DOES NOT ANSWER at ${url} within ${ANSWER_MS / 1_000} s`;
};

/** Whether a service runs here, since when, and how ready it says that it is, in one line. */
export const serviceLine = async (terminal: Terminal, { eventStore }: StoreSettings): Promise<string> => {
  if (eventStore.kind === 'sqlite') return `service: ${await onFiles(dirname(resolve(eventStore.path)))}`;
  const { host, port } = loadAddress(environmentOf(terminal));
  const url = `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
  return `service: at ${url} ${(await readinessOf(url)) ?? 'none answers'}`;
};

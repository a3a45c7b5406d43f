import { spawn } from 'node:child_process';
import { closeSync, createReadStream, openSync, readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { CLI, hiringEnvironment } from './hiring.ts';
import { endOf, keepTrackOf, type Server } from './running.ts';

export interface Service extends Server {
  /** From the start of the process until `/health/ready` answered 200. */
  readonly readySeconds: number;
  /** @throws Error when it did not end well, or had logged an error */
  end(): Promise<void>;
  /** Resident memory now, in MB, as the service's own metrics tell. */
  memoryMb(): Promise<number>;
  /** CPU time that it has taken so far, all threads of it, in microseconds. */
  cpuMicros(): Promise<number>;
  /** Waits until every projection has seen every event; resolves to the seconds that took. */
  settle(): Promise<number>;
}

/** What `npm start` gives to Node. */
export const SERVICE_FLAGS: readonly string[] = ['--max-semi-space-size=32'];

const LONGEST_PAUSE_MS = 100;

/** Looks again and again, ever more seldom, until there is something. */
const until = async <T>(look: () => T | undefined | Promise<T | undefined>): Promise<T> => {
  for (let pause = 2; ; pause = Math.min(pause * 1.1, LONGEST_PAUSE_MS)) {
    const found = await look();
    if (found !== undefined) return found;
    await delay(pause);
  }
};

/** The values of a metric, whatever its labels. */
const metricsOf = async (url: string, name: string): Promise<number[]> => {
  const text = await (await fetch(`${url}/metrics`)).text();
  const values = [...text.matchAll(new RegExp(`^${name}(?:\\{.*\\})? (\\S+)$`, 'gm'))].map(([, value]) =>
    Number(value),
  );
  if (values.length === 0) throw new Error(`The metrics tell no ${name}`);
  return values;
};

/** @throws Error with the first line of the log that tells of an error (pino's levels 50 and 60) */
const refuseErrors = async (logFile: string): Promise<void> => {
  for await (const line of createInterface({ input: createReadStream(logFile) }))
    if (/^\{"level":[56]0,/.test(line)) throw new Error(`hiring serve logged an error: ${line}`);
};

/**
 * Starts `hiring serve` as its users do: a process of its own, configured by environment, the log at its default level
 * and written to a file.
 *
 * @param directory its data directory
 * @param more configuration beside the usual
 * @throws Error with what it printed, when it ends before it is ready
 */
export const startService = async (
  directory: string,
  more: Readonly<Record<string, string>> = {},
): Promise<Service> => {
  const logFile = join(directory, 'bench-service.log');
  const log = openSync(logFile, 'w');
  const started = performance.now();
  const child = keepTrackOf(
    spawn(process.execPath, [...SERVICE_FLAGS, CLI, 'serve'], {
      cwd: directory,
      env: { ...hiringEnvironment(directory), PORT: '0', ...more },
      stdio: ['ignore', log, log],
    }),
  );
  closeSync(log);
  const refuseEnded = () => {
    if (child.exitCode === null && child.signalCode === null) return;
    throw new Error(`hiring serve ended: ${readFileSync(logFile, 'utf8').slice(-2_000)}`);
  };
  const url = await until(() => {
    refuseEnded();
    return /"url":"(http:[^"]+)".*"msg":"listening"/.exec(readFileSync(logFile, 'utf8'))?.[1];
  });
  await until(async () => {
    refuseEnded();
    return (await fetch(`${url}/health/ready`)).status === 200 ? true : undefined;
  });
  const readySeconds = (performance.now() - started) / 1_000;

  return {
    url,
    readySeconds,
    async memoryMb() {
      const [bytes] = await metricsOf(url, 'process_resident_memory_bytes');
      return (bytes ?? NaN) / 1e6;
    },
    async cpuMicros() {
      const [seconds] = await metricsOf(url, 'process_cpu_seconds_total');
      return (seconds ?? NaN) * 1e6;
    },
    async settle() {
      const began = performance.now();
      await until(async () => {
        refuseEnded();
        const lags = await metricsOf(url, 'projection_lag_events');
        return lags.every((lag) => lag === 0) ? true : undefined;
      });
      return (performance.now() - began) / 1_000;
    },
    async end() {
      const code = await endOf(child);
      if (code !== 0) throw new Error(`hiring serve ended with ${code}; its log: ${logFile}`);
      await refuseErrors(logFile);
      await rm(logFile);
    },
  };
};

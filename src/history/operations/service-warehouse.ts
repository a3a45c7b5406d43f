import { randomUUID } from 'node:crypto';
import { EventEmitter } from 'node:events';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { open, rm, type FileHandle } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { DomainError, invalid, unavailable } from '../../errors/domain-error.ts';
import { StoreUnavailableError } from '../../errors/store-unavailable.ts';
import type { Position } from '../../event-store/port.ts';
import {
  readAnonymousMemory,
  startChildProcess,
  type ChildProcessClient,
  type ChildProcessOptions,
} from '../../lib/child-process.ts';
import { makeDirectory } from '../../lib/file-access.ts';
import { isProcessRunning } from '../../lib/is-process-running.ts';
import { createKeyedMutex } from '../../lib/keyed-mutex.ts';
import { neverAborted } from '../../lib/never-aborted.ts';
import { WorkerEndedError } from '../../lib/worker-client.ts';
import type { TaskProtocol } from '../../lib/worker-messages.ts';
import type { EventStoreSettings } from '../../stores.ts';
import { maskBy } from '../moment/mask.ts';
import type { Moment } from '../moment/moment.ts';
import type { WarehouseQuestion } from '../warehouse/questions.ts';
import { spillDirectoryName, WAREHOUSE_FILE } from '../warehouse/runnable-statement.ts';
import type { AnswerProtocol, RefreshProtocol, WarehouseNeeds } from './warehouse-messages.ts';

/** An answer that is whole, in a file without a name. */
interface WarehouseAnswer {
  readonly position: Position;
  /** Columns of masks that the statement compares with values. */
  readonly maskedConditions: readonly string[];
  /** The moment of the answer, where it may differ from the position. */
  readonly upTo: Moment | undefined;
  /** Tells its masks from those of another secret. */
  readonly masks: string;
  /** In bytes. */
  readonly size: number;
  /** Read once; it closes the file. */
  body(): Readable;
  /** Closes the file of an answer that is not read. */
  close(): Promise<void>;
}

/**
 * The service's own warehouse, with masked personal data. It is made at the first question, and refreshed before
 * each one.
 */
export interface ServiceWarehouse {
  /**
   * @param signal ends it: aborted once the client has gone
   * @param around is given the tables that are named, and runs the question
   * @throws DomainError for a refusal, and while the warehouse is not up to date
   * @throws StoreUnavailableError where a store cannot be read now, or a process has ended by itself
   */
  ask(
    question: WarehouseQuestion,
    signal: AbortSignal,
    around?: <T>(tables: readonly string[], run: () => Promise<T>) => Promise<T>,
  ): Promise<WarehouseAnswer>;
  /** Resolves once all processes have ended, which the signal has them do. */
  stop(): Promise<void>;
}

export interface WarehouseLimits {
  /** How long a question may take, without the time in which the warehouse is brought up to date. */
  readonly seconds: number;
  /** What the process of a question may hold, with DuckDB's memory. */
  readonly memoryMb: number;
  /** How long the first warehouse is waited for. */
  readonly firstWaitMs: number;
}
const LIMITS: WarehouseLimits = { seconds: 30, memoryMb: 512, firstWaitMs: 20_000 };
/** How long a warehouse is waited for that is brought up to date. */
const REFRESH_WAIT_MS = 60_000;
const RETRY_SECONDS = 5;
/** Of the JavaScript of a process. */
const HEAP_MB = 128;
/** How often the memory of a process is checked. */
const POLL_MS = 50;
/**
 * How long the process that refreshes stays alive for the next question. Starting it takes longer than most
 * refreshes.
 */
const REFRESHER_IDLE_MS = 60_000;

interface ServiceWarehouseOptions {
  readonly eventStore: EventStoreSettings;
  readonly maskSecret: string;
  /** Told why the first warehouse could not be made; the next question tries again. */
  readonly onError: (error: unknown) => void;
  readonly limits?: Partial<WarehouseLimits> | undefined;
  /** Aborted when the service stops: what is asked ends then. */
  readonly signal: AbortSignal;
}

/** A new directory for temporary files; those that killed processes have left are removed. */
const temporaryDirectory = (): string => {
  for (const name of readdirSync(tmpdir())) {
    const pid = Number(/^hiring-warehouse-(\d+)-/.exec(name)?.[1]);
    if (!(pid > 0) || isProcessRunning(pid)) continue;
    try {
      rmSync(join(tmpdir(), name), { recursive: true, force: true });
    } catch {
      // It is of another user.
    }
  }
  return mkdtempSync(join(tmpdir(), `hiring-warehouse-${process.pid}-`));
};

/** Beside the event log; where that is on a server, a directory of this process. */
const directoryFor = (eventStore: EventStoreSettings): string => {
  if (eventStore.kind !== 'sqlite') return temporaryDirectory();
  const directory = join(dirname(eventStore.path), 'warehouse');
  makeDirectory(directory);
  // What killed processes have left; a service alone has the directory.
  for (const name of readdirSync(directory).filter((each) => /^(?:spill|answer)-/.test(each)))
    rmSync(join(directory, name), { recursive: true, force: true });
  return directory;
};

const goneAway = () => unavailable('The client has gone', 1);

export const createServiceWarehouse = ({
  eventStore,
  maskSecret,
  onError,
  limits,
  signal: stopping,
}: ServiceWarehouseOptions): ServiceWarehouse => {
  const { seconds, memoryMb, firstWaitMs } = { ...LIMITS, ...limits };
  const { maskId: masks } = maskBy(maskSecret);
  const exclusively = createKeyedMutex();
  const children = new Set<Pick<ChildProcessClient<TaskProtocol>, 'kill' | 'ended'>>();
  stopping.addEventListener('abort', () => {
    for (const child of children) child.kill();
  });
  let directory: string | undefined;
  /** The first refresh of this process, until it has succeeded. */
  let first: Promise<boolean> | undefined;
  let isWhole = false;
  let progress: { readonly events: number; readonly left: number | undefined } | undefined;
  const notReady = (): Error => {
    const { events, left } = progress ?? { events: 0, left: undefined };
    const of = left === undefined ? '' : ` of about ${events + left}`;
    return unavailable(`The warehouse is being brought up to date: ${events}${of} events are copied`, RETRY_SECONDS);
  };

  const start = <T extends TaskProtocol>(module: URL, options: ChildProcessOptions): ChildProcessClient<T> => {
    if (stopping.aborted) throw new StoreUnavailableError('The service is stopping');
    const child = startChildProcess<T>(module, options);
    children.add(child);
    void child.ended.then(() => children.delete(child));
    return child;
  };

  let refresher: ChildProcessClient<RefreshProtocol> | undefined;
  let idle: NodeJS.Timeout | undefined;
  const startRefresher = (): ChildProcessClient<RefreshProtocol> => {
    const module = new URL('./refresh.process.js', import.meta.url);
    const started = start<RefreshProtocol>(module, { environment: process.env, heapMb: HEAP_MB });
    void started.ended.then(() => {
      if (refresher === started) refresher = undefined;
    });
    return started;
  };

  /** Brings the warehouse up to date; one at a time. */
  const refresh = async (
    home: string,
    { readModels, atPosition }: Pick<WarehouseNeeds, 'readModels' | 'atPosition'>,
    signal: AbortSignal,
  ): Promise<Position> => {
    const isGivenUp = () => signal.aborted;
    if (isGivenUp()) throw notReady();
    clearTimeout(idle);
    const spillTo = join(home, 'spill-refresh');
    const { start: run, kill, ended } = (refresher ??= startRefresher());
    signal.addEventListener('abort', kill, { once: true });
    try {
      const { result } = run(
        { eventStore, maskSecret, readModels, atPosition, spillTo, file: join(home, WAREHOUSE_FILE) },
        {
          onStatus(news) {
            if (news.kind === 'copied') progress = news;
          },
        },
      );
      const position = await result;
      idle = setTimeout(() => {
        refresher = undefined;
        kill();
      }, REFRESHER_IDLE_MS).unref();
      return position;
    } catch (error) {
      // One that has failed is not asked again.
      kill();
      await ended;
      if (!(error instanceof WorkerEndedError)) throw error;
      if (isGivenUp()) throw notReady();
      throw new StoreUnavailableError('The warehouse could not be brought up to date', { cause: error.cause });
    } finally {
      signal.removeEventListener('abort', kill);
      rmSync(spillTo, { recursive: true, force: true });
    }
  };

  /** Makes the first warehouse of this process, or continues that of an earlier one. @throws DomainError */
  const whole = async (home: string): Promise<void> => {
    if (isWhole) return;
    first ??= exclusively('file', () => refresh(home, { readModels: [], atPosition: undefined }, neverAborted)).then(
      () => (isWhole = true),
      (error: unknown) => {
        first = undefined;
        onError(error);
        throw error;
      },
    );
    const waiting = new AbortController();
    const { signal } = waiting;
    const late = delay(firstWaitMs, false, { signal });
    const isDone = await Promise.race([first, late]).finally(() => waiting.abort());
    if (isDone) return;
    throw notReady();
  };

  const answer = async (
    home: string,
    output: FileHandle,
    question: WarehouseQuestion,
    signal: AbortSignal,
    around: NonNullable<Parameters<ServiceWarehouse['ask']>[2]>,
  ): Promise<Pick<WarehouseAnswer, 'position' | 'maskedConditions' | 'upTo'>> => {
    const options = { environment: {}, heapMb: HEAP_MB, output: output.fd };
    const module = new URL('./answer.process.js', import.meta.url);
    const child = start<AnswerProtocol>(module, options);
    let ending: Error | undefined;
    const end = (error: Error): void => {
      ending ??= error;
      child.kill();
    };
    const leave = () => end(goneAway());
    signal.addEventListener('abort', leave, { once: true });
    const tooMuch = () =>
      invalid(`The statement needs more than ${memoryMb} MB of memory, or 1 GB of disk, and was stopped`);
    const looking = setInterval(() => {
      if ((readAnonymousMemory(child.pid) ?? 0) > memoryMb * 1_000_000) end(tooMuch());
    }, POLL_MS);
    /** Bounds the time of what the process does by itself. */
    const within = async <T>(act: () => Promise<T>): Promise<T> => {
      const late = setTimeout(() => {
        end(invalid(`The statement ran longer than ${seconds} s, and was stopped`));
      }, seconds * 1_000);
      return act().finally(() => clearTimeout(late));
    };
    const failed = (error: unknown): never => {
      if (error instanceof WorkerEndedError) {
        // V8, or DuckDB, got no more of it.
        if (/SIGABRT|SIGTRAP/.test(error.message)) throw tooMuch();
        throw ending ?? new StoreUnavailableError('The process that answers has ended', { cause: error.cause });
      }
      // DuckDB's message advises settings that a statement cannot change.
      throw error instanceof DomainError && /^Out of Memory Error/.test(error.message) ? tooMuch() : error;
    };
    const posted = new EventEmitter();
    const task = child.start({ directory: home, question }, { onStatus: (status) => posted.emit(status.kind, status) });
    const answered = task.result.catch(failed);
    /** The first status of a kind; rejects where the process fails before that. */
    const first = async (kind: AnswerProtocol['status']['kind']): Promise<AnswerProtocol['status']> => {
      const status = new Promise<AnswerProtocol['status']>((resolve) => posted.once(kind, resolve));
      return Promise.race([status, answered.then(() => Promise.reject(new Error(`It posted no ${kind}`)))]);
    };
    try {
      const needs = await within(() => first('needs'));
      if (needs.kind !== 'needs') throw new Error('Needs were expected');
      return await around(needs.tables, async () => {
        const position = await exclusively('file', async () => {
          const waited = AbortSignal.any([signal, AbortSignal.timeout(REFRESH_WAIT_MS)]);
          const reached = await refresh(home, needs, waited);
          task.post(reached);
          await within(() => first('opened'));
          return reached;
        });
        const { maskedConditions, upTo } = await within(() => answered);
        return { position, maskedConditions, upTo };
      });
    } finally {
      clearInterval(looking);
      signal.removeEventListener('abort', leave);
      child.kill();
      await child.ended;
      rmSync(join(home, spillDirectoryName(child.pid ?? 0)), { recursive: true, force: true });
    }
  };

  return {
    async ask(question, signal, around = (_tables, run) => run()) {
      if (signal.aborted) throw goneAway();
      const home = (directory ??= directoryFor(eventStore));
      await whole(home);
      const file = join(home, `answer-${randomUUID()}`);
      const output = await open(file, 'wx+', 0o600);
      try {
        await rm(file);
        const found = await answer(home, output, question, signal, around);
        const { size } = await output.stat();
        return {
          ...found,
          masks,
          size,
          body: () => output.createReadStream({ start: 0 }),
          close: () => output.close(),
        };
      } catch (error) {
        await output.close();
        throw error;
      }
    },
    async stop() {
      await Promise.all(Array.from(children, ({ ended }) => ended));
      if (eventStore.kind !== 'sqlite' && directory !== undefined) rmSync(directory, { recursive: true, force: true });
    },
  };
};

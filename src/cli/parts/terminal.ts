import type { DestinationStream } from 'pino';
import type { AppThreadStarters } from '../../app/options.ts';
import type { ProcessPriority } from '../../lib/process-priority.ts';
import { loadConfig, withEnvFile, type Config, type Environment } from '../../config/config.ts';
import { CliError } from './cli-error.ts';

/** A stream, and the terminal's columns where it is one. */
export type Output = NodeJS.WritableStream & { readonly isTTY?: boolean; readonly columns?: number };

/** What a command is run from: all that it reads of its process, and all that it writes to. */
export interface Terminal {
  readonly environment: Environment;
  /** Where a `.env` file may be. */
  readonly directory: string;
  /** What statements are read from, where none is given. */
  readonly stdin: NodeJS.ReadableStream & { readonly isTTY?: boolean };
  readonly stdout: Output;
  readonly stderr: Output;
  /** Opens what the application log goes to; what writes it is loaded then. */
  openLog(): Promise<DestinationStream>;
  /** Has other processes of the machine go first from now on. */
  giveWay(priority: ProcessPriority): void;
  /** Resolves with the first signal from now on that asks the command to end. */
  nextSignal(): Promise<string>;
  /** Ends the process now, whatever hangs; what was logged is written first. */
  endNow(): void;
  /** Waits for so many milliseconds, or until the signal is aborted; left out: by a timer. */
  readonly pause?: ((milliseconds: number, signal: AbortSignal) => Promise<void>) | undefined;
  /** Left out: what runs beside a command has worker threads. */
  readonly threads?: AppThreadStarters | undefined;
}

/**
 * Aborted, with a CliError, by the first signal from now on that asks the command to end.
 *
 * @param more what the error says after the signal's name
 */
export const abortOnSignal = (terminal: Terminal, more = ''): AbortSignal => {
  const ending = new AbortController();
  void terminal.nextSignal().then((by) => ending.abort(new CliError(`Ended by ${by}${more}`)));
  return ending.signal;
};

/** The variables of the environment, and those of a `.env` file. @throws ConfigError */
export const loadTerminalEnvironment = ({ environment, directory }: Terminal): Environment =>
  withEnvFile(environment, directory);

/** The checked configuration, for what runs the service. @throws ConfigError */
export const loadTerminalConfig = (terminal: Terminal): Config => loadConfig(loadTerminalEnvironment(terminal));

import type { App } from '../app/create-app.ts';
import { createLogger } from '../monitoring/logger.ts';
import { seedWorld, type SeedProgress } from '../tools/seed/seed.ts';
import { openApp } from './parts/open-app.ts';
import { createProgressBar } from './parts/progress-bar.ts';
import { loadTerminalConfig, type Terminal } from './parts/terminal.ts';
import { print } from './parts/print.ts';

export interface SeedOptions {
  readonly candidates: number;
  readonly seed: number;
}

export const demoWorldOptions: SeedOptions = { candidates: 300, seed: 1 };

const CAUGHT_UP_MS = 3_600_000;

/** Makes a world and waits until the read models show all of it, and are known to be complete. */
const fill = async (app: App, options: SeedOptions, onProgress: (progress: SeedProgress) => void) => {
  const { projector, eventStore } = app;
  const done = await seedWorld({ eventStore, options, onProgress });
  const names = projector.status().map(({ name }) => name);
  await projector.reached(names, await eventStore.head(), CAUGHT_UP_MS);
  const late = AbortSignal.timeout(CAUGHT_UP_MS);
  while (!projector.isCaughtUp() && !late.aborted) await projector.next(late);
  return done;
};

export const seedDemo = async (app: App): Promise<void> => {
  await fill(app, demoWorldOptions, () => undefined);
};

/** `hiring seed`: makes a world of any size, with a progress bar and the rate. */
export const seed = async (terminal: Terminal, options: SeedOptions): Promise<void> => {
  const config = loadTerminalConfig(terminal);
  const logger = createLogger({ level: 'warn', destination: await terminal.openLog() });
  const app = await openApp(terminal, config, logger);
  const bar = createProgressBar(
    terminal.stderr,
    '{bar} {percentage} % | {value} of {total} commands | {rate} a second | {eta_formatted} left',
  );
  const started = performance.now();
  const secondsSince = () => (performance.now() - started) / 1_000;
  try {
    let isShown = false;
    const total = await fill(app, options, ({ commands, total }) => {
      const shown = { rate: Math.round(commands / secondsSince()) };
      if (!isShown) bar.start(total, 0, shown);
      isShown = true;
      bar.update(commands, shown);
      if (commands < total) return;
      bar.stop();
      print(terminal.stderr, 'The read models are being brought up to date');
    });
    const head = await app.eventStore.head();
    print(
      terminal.stdout,
      `${total} commands in ${secondsSince().toFixed(1)} s, read models included; the log is at ${head}`,
    );
  } finally {
    bar.stop();
    await app.stop();
  }
};

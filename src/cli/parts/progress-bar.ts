import { MultiBar, Presets, SingleBar } from 'cli-progress';

/** A bar on standard error; where that is no terminal, a line now and then. */
export const progressBar = (format: string): SingleBar =>
  new SingleBar({ format, noTTYOutput: true, stream: process.stderr }, Presets.shades_classic);

/** Several bars below each other, made as they are needed. */
export const progressBars = (format: string): MultiBar =>
  new MultiBar(
    { format, noTTYOutput: true, stream: process.stderr, barsize: 12, hideCursor: true },
    Presets.shades_classic,
  );

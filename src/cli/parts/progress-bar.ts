import { Presets, SingleBar } from 'cli-progress';

/** A bar on standard error; where that is no terminal, a line now and then. */
export const progressBar = (format: string): SingleBar =>
  new SingleBar({ format, noTTYOutput: true, stream: process.stderr }, Presets.shades_classic);

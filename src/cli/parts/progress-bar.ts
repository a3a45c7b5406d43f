import { MultiBar, Presets, SingleBar } from 'cli-progress';
import type { Output } from './terminal.ts';

/** A bar on a stream; where that is no terminal, a line now and then. */
export const createProgressBar = (stream: Output, format: string): SingleBar =>
  new SingleBar({ format, noTTYOutput: true, stream }, Presets.shades_classic);

/** Several bars below each other, made as they are needed. */
export const createMultiProgressBar = (stream: Output, format: string): MultiBar =>
  new MultiBar({ format, noTTYOutput: true, stream, barsize: 12, hideCursor: true }, Presets.shades_classic);

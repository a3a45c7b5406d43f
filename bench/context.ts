import { existsSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import { LoadResult, type LoadSpec } from './load/spec.ts';
import { readPopulation, type Population } from './population.ts';
import { startChildProcess } from './processes/child.ts';
import { startService } from './processes/service.ts';
import { openWorld } from './worlds.ts';

/** How large and how long. */
export interface Settings {
  /** Of the large world; the small one has a tenth. */
  readonly events: number;
  readonly rounds: number;
  /** How long one load lasts. */
  readonly seconds: number;
  /** How long the soak lasts. */
  readonly minutes: number;
}

export interface World {
  readonly directory: string;
  readonly population: Population;
}

/** What figures are made with. */
export interface Context {
  readonly settings: Settings;
  /** A world of about so many events, with current read models. Figures that write copy it. */
  readonly world: (events: number) => Promise<World>;
  /** A new, empty directory on the disk where the worlds are. */
  readonly scratch: () => Promise<string>;
  /** Runs a load in the process that all load comes from. */
  readonly load: (spec: LoadSpec) => Promise<LoadResult>;
  /** Ends something after the last figure of the group. */
  readonly keep: <T extends { end(): Promise<void> }>(thing: T) => T;
  /** Tells the person who runs the benchmarks. */
  readonly say: (text: string) => void;
}

/** A context for one group of figures, and what ends all that was kept in it. */
export const createContext = (
  settings: Settings,
  places: { readonly cache: string; readonly scratch: string },
  say: Context['say'],
): { readonly context: Context; readonly end: () => Promise<void> } => {
  const kept: { end(): Promise<void> }[] = [];
  const keep = <T extends { end(): Promise<void> }>(thing: T): T => {
    kept.push(thing);
    return thing;
  };
  const loader = keep(startChildProcess('load'));

  const context: Context = {
    settings,
    async world(events) {
      if (!existsSync(join(places.cache, String(events)))) say(`Making a world of ${events} events`);
      const directory = await openWorld(places.cache, events);
      // The service itself knows whether its read models are current.
      const service = await startService(directory);
      await service.end();
      return { directory, population: readPopulation(directory) };
    },
    scratch: () => mkdtemp(join(places.scratch, 'figure-')),
    load: (spec) => loader.ask(spec, LoadResult),
    keep,
    say,
  };
  return {
    context,
    async end() {
      for (const thing of kept.reverse()) await thing.end();
    },
  };
};

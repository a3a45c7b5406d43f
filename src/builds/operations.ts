import { conflict, notFound } from '../errors.ts';
import type { Projection } from '../projection.ts';
import type { BuildOptions, Entry } from './build.ts';
import type { Catalogue } from './catalogue.ts';
import { requested } from './quarantine.ts';
import {
  cancelled,
  checkBuild,
  checked,
  firstEntry,
  nextBuild,
  paused,
  rebuilt,
  resumed,
  rolledBack,
} from './transitions.ts';

/** What an operator can ask for, from the command line or over HTTP. */
export interface Operations {
  /** By name; those that nobody has worked with yet are left out. */
  readonly all: () => Promise<ReadonlyMap<string, Entry>>;
  /** Resolves to the id of the build that was begun, or gone on with. */
  readonly rebuild: (name: string, options: BuildOptions) => Promise<string>;
  /** Resolves to the id of the build that the live one is compared with. */
  readonly verify: (name: string, throttle: number | null) => Promise<string>;
  readonly cancel: (name: string) => Promise<Entry>;
  readonly rollBack: (name: string) => Promise<Entry>;
  readonly pause: (name: string, by: string) => Promise<Entry>;
  readonly resume: (name: string) => Promise<Entry>;
  /** Has streams that wait folded again, all or one: after a fix. */
  readonly retry: (name: string, stream: string | undefined) => Promise<Entry>;
  /** The same, without the event at which a stream has stopped. */
  readonly skip: (name: string, stream: string) => Promise<Entry>;
}

/** What is asked for would wait for as long as nothing is folded. @throws Refusal (409) while it is paused */
const going = (entry: Entry): Entry => {
  if (entry.paused) throw conflict(`${entry.name} is paused; resume it first`);
  return entry;
};

/**
 * Says in the catalogue what is to be done; whoever runs the projector does it.
 *
 * @param now RFC 3339
 * @throws Refusal, from each: 404 for an unknown projection, 409 for what cannot be done now
 */
export const createOperations = (
  catalogue: Catalogue,
  projections: readonly Pick<Projection, 'name' | 'version'>[],
  now: () => string,
): Operations => {
  const change = (name: string, act: (entry: Entry, version: number) => Entry): Promise<Entry> => {
    const projection = projections.find((each) => each.name === name);
    if (!projection) {
      const names = projections.map((each) => each.name).join(', ');
      return Promise.reject(notFound(`There is no projection ${name}; allowed: ${names}`));
    }
    const { version } = projection;
    return catalogue.change(name, (before) => act(before ?? firstEntry(name, version, now()), version));
  };
  const idOf = (build: { readonly id: string } | undefined): string => {
    if (!build) throw new Error('What was begun is not there');
    return build.id;
  };

  return {
    all: () => catalogue.all(),
    rebuild: async (name, options) =>
      idOf(nextBuild(await change(name, (entry, version) => rebuilt(going(entry), version, options, now())))),
    verify: async (name, throttle) =>
      idOf(
        checkBuild(await change(name, (entry, version) => checked(going(entry), version, throttle, now()))),
      ),
    cancel: (name) => change(name, (entry) => cancelled(entry, now())),
    rollBack: (name) => change(name, (entry, version) => rolledBack(entry, version, now())),
    pause: (name, by) => change(name, (entry) => paused(entry, by, now())),
    resume: (name) => change(name, resumed),
    retry: (name, stream) => change(name, (entry) => requested(going(entry), 'retry', stream)),
    skip: (name, stream) => change(name, (entry) => requested(going(entry), 'skip', stream)),
  };
};

import type { EventStore } from '../event-store/port.ts';
import { START } from '../event-store/port.ts';
import { typesFolded, type Projection } from '../projection.ts';
import type { MemberStatus } from '../projector-progress.ts';
import type { Build } from './build.ts';
import type { Catalogue } from './catalogue.ts';
import { buildWith, stepped } from './transitions.ts';

const EVERY_MS = 500;

/** What is measured of a build in this process. */
interface Begun {
  readonly at: number;
  /** Events that were folded before, in another process. */
  readonly before: number;
  readonly of: number;
  notedAt: number;
}

/** Notes in the catalogue how far builds have come, for whoever watches. */
export const createMeasure = ({
  catalogue,
  eventStore,
}: {
  readonly catalogue: Pick<Catalogue, 'change'>;
  readonly eventStore: Pick<EventStore, 'head' | 'countOf' | 'countAfter'>;
}) => {
  const builds = new Map<string, Begun>();

  const begin = async (projection: Projection, { id, progress }: Build): Promise<Begun> => {
    const { countOf } = eventStore;
    const of = countOf
      ? await countOf(typesFolded([projection]), await eventStore.head())
      : await eventStore.countAfter(START);
    const begun = { at: performance.now(), before: progress?.events ?? 0, of, notedAt: -Infinity };
    builds.set(id, begun);
    return begun;
  };

  return {
    async note(name: string, projection: Projection, build: Build, { seen }: MemberStatus) {
      const begun = builds.get(build.id) ?? (await begin(projection, build));
      const now = performance.now();
      if (now - begun.notedAt < EVERY_MS) return;
      begun.notedAt = now;
      const events = begun.before + seen;
      const perSecond = Math.round(seen / Math.max(0.001, (now - begun.at) / 1_000));
      const progress = { events, of: Math.max(events, begun.of), perSecond };
      await catalogue.change(name, (entry) => {
        if (!entry) throw new Error(`The catalogue has lost ${name}`);
        const known = buildWith(entry, build.id);
        return known?.step === 'build' ? stepped(entry, build.id, 'build', { progress }) : entry;
      });
    },
  };
};

import { setImmediate } from 'node:timers/promises';
import { placeOfOffice, placeOfProfessional } from '../../domain/commute.ts';
import type { Coordinates } from '../../domain/saved-postings.ts';
import type { DomainEvent } from '../../domain/index.ts';
import { byPosition, type EventLog, type Position } from '../../event-store/port.ts';
import { isAt, type EventsMeant } from '../moment/moment.ts';
import { toApplicable, type ApplicableEvent } from '../../projector/applier.ts';
import { eventsIn } from '../../projector/apply-groups.ts';
import type { EventPlace } from '../../projector/parking.ts';
import type { Figures } from './figures.ts';
import { beginStory, isStoryEvent, storyTypes } from './posting-story.ts';
import { beginTally, type Counted, type PostingsFound } from './tally.ts';

/** Events read at once. */
const BATCH = 1_000;

/** Only these are read where personal data is left out. */
const PUBLIC_TYPES: readonly string[] = ['OfficeRecorded', ...storyTypes];
const PERSONAL_TYPES: readonly string[] = ['ProfessionalRecorded', 'CommuteMeasured'];

export interface FiguresAsked extends Counted {
  readonly to: EventsMeant;
  readonly withPersonalData: boolean;
}

/** The first event of a stream that cannot be applied: it and all later ones of its stream are left out. */
export type StreamLeftOut = Pick<EventPlace, 'stream' | 'revision' | 'position'>;

export interface FiguresOptions {
  /** Ends the reading: its reason is thrown. */
  readonly signal: AbortSignal;
  /** Told how many events are read, and of how many, if that is known. */
  readonly onEvents: (read: number, of: number | undefined) => void;
}

/** Keeps a place, or forgets the one before where the new one is not known. */
const keep = (places: Map<string, Coordinates>, id: string, place: Coordinates | undefined): void => {
  if (place) places.set(id, place);
  else places.delete(id);
};

/**
 * The figures of a report, from one read of the event log, posting by posting: in memory are one posting, the places of
 * offices and, where they may be read, of professionals. Events that name no posting come first, so places are known by
 * then.
 */
export const readFigures = async (
  log: Pick<EventLog, 'readGroups'>,
  { to, withPersonalData, ...counted }: FiguresAsked,
  { signal, onEvents }: FiguresOptions,
): Promise<{
  readonly figures: Figures;
  readonly leftOut: readonly StreamLeftOut[];
  readonly found: PostingsFound;
}> => {
  const offices = new Map<string, Coordinates>();
  const professionals = new Map<string, Coordinates>();
  const tally = beginTally(counted, { offices, professionals: withPersonalData ? professionals : null });
  const leftOut = new Map<string, StreamLeftOut>();
  /** Of the posting whose events are read; undefined before the first of them. */
  let story: ReturnType<typeof beginStory> | undefined;

  const apply = (event: DomainEvent, position: Position): void => {
    if (event.type === 'OfficeRecorded') keep(offices, event.data.officeId, placeOfOffice(event.data));
    if (event.type === 'ProfessionalRecorded')
      keep(professionals, event.data.professionalId, placeOfProfessional(event.data));
    if (!isStoryEvent(event)) return;
    story ??= beginStory();
    story.apply(event, { position, at: Date.parse(event.metadata.recordedAt) });
  };
  const applyOrLeaveOut = (each: ApplicableEvent): void => {
    const { stream, revision, position } = each;
    // Groups are not in the order of a stream: an event that names no posting comes before earlier ones that do.
    if (revision >= (leftOut.get(stream)?.revision ?? Infinity)) return;
    try {
      const event = each.event();
      if (event) apply(event, position);
    } catch {
      leftOut.set(stream, { stream, revision, position });
    }
  };

  const types = withPersonalData ? [...PUBLIC_TYPES, ...PERSONAL_TYPES] : PUBLIC_TYPES;
  const read = { by: 'postingId', types, upTo: to.position, batchSize: BATCH };
  const isMeant = isAt(to);
  let done = 0;
  for await (const batch of log.readGroups(read, signal)) {
    const groups = eventsIn(batch);
    for (const [at, events] of groups.entries()) {
      for (const each of events) if (isMeant(each)) applyOrLeaveOut(toApplicable(each));
      done += events.length;
      // The last group of a batch may go on in the next one.
      if (at === groups.length - 1 && batch.ended === undefined) continue;
      if (story) tally.add(story.result());
      story = undefined;
    }
    onEvents(done, batch.of);
    // A file is read without a pause, in which a signal would be heard.
    await setImmediate();
  }
  // The read has ended early then.
  signal.throwIfAborted();
  return { figures: tally.figures(), leftOut: [...leftOut.values()].sort(byPosition), found: tally.found };
};

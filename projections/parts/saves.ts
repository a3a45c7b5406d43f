import type { savedPostingsEvents } from '../../src/domain/saved-postings.ts';
import type { EventOf } from '../../src/domain/events.ts';
import type { Documents } from '../../src/projector/projection.ts';
import type { Measured } from './commute.ts';

/** A saved posting, by the events of the professional's list. */
export interface Save {
  readonly professionalId: string;
  readonly postingId: string;
  readonly savedAt: string;
  readonly changedAt: string;
  readonly measured: Measured | null;
}

type SavedEvent<Type> = Extract<EventOf<(typeof savedPostingsEvents)[number]>, { type: Type }>;

/** The id of a save; `/` is in no identifier. */
export const saveIdOf = (professionalId: string, postingId: string): string =>
  `${professionalId}/${postingId}`;

/** Handlers that keep the saves of a view. */
export const saveHandlers = (view: {
  ownOf(id: string, documents: Documents): Save | undefined;
  set(id: string, own: Save, documents: Documents): void;
  remove(id: string, documents: Documents): void;
}) => ({
  PostingSaved({ data, metadata: { recordedAt } }: SavedEvent<'PostingSaved'>, documents: Documents) {
    const save = { ...data, savedAt: recordedAt, changedAt: recordedAt, measured: null };
    view.set(saveIdOf(data.professionalId, data.postingId), save, documents);
  },
  PostingUnsaved({ data }: SavedEvent<'PostingUnsaved'>, documents: Documents) {
    view.remove(saveIdOf(data.professionalId, data.postingId), documents);
  },
  CommuteMeasured({ data, metadata: { recordedAt } }: SavedEvent<'CommuteMeasured'>, documents: Documents) {
    const { professionalId, postingId, ...measured } = data;
    const id = saveIdOf(professionalId, postingId);
    const before = view.ownOf(id, documents);
    if (before) view.set(id, { ...before, changedAt: recordedAt, measured }, documents);
  },
});

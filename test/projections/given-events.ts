import { officeDecider } from '../../src/domain/office.ts';
import type { Profile } from '../../src/domain/professional.ts';
import { savedPostingsDecider } from '../../src/domain/saved-postings.ts';
import { START_POSITION } from '../../src/event-store/port.ts';
import type { Projection } from '../../src/projector/projection.ts';
import type { OfficeData, PostingData } from '../../src/schema/vocabulary.ts';
import { Applier } from '../../src/projector/applier.ts';
import { toLazilyDecodedEvent } from '../../src/projector/apply-event.ts';
import type { Collection } from '../../src/read-models/port.ts';
import { toPosting, toProfessional, toUser } from '../commands/known.ts';
import { bodies, ids, times } from '../support/examples.ts';
import { on, storeWith, type Fact } from '../support/facts.ts';
import { openMemoryReadModels } from '../support/memory-stores.ts';

/** Has one projection apply events in this order; gives what it then shows under an id. */
export const givenEvents = (...facts: readonly Fact[]) => ({
  shows: async <Doc extends object>(
    projection: Projection,
    collection: Collection<Doc>,
    id: string,
  ): Promise<Doc | undefined> => {
    const events = await (await storeWith(facts)).readAll(START_POSITION, facts.length);
    const readModels = openMemoryReadModels();
    await readModels.prepare(projection);
    const applier = new Applier({ readModels, projection, checkpoint: undefined, maxDocuments: 1_000 });
    await applier.add({
      events: events.map(toLazilyDecodedEvent),
      position: events.at(-1)?.position ?? START_POSITION,
    });
    await applier.commit();
    await applier.settled();
    return (await readModels.get(collection, id))?.doc;
  },
});

/** The same event at another time, or by another actor. */
export const again = (fact: Fact, stamp: Partial<Pick<Fact, 'at' | 'by'>>): Fact => ({ ...fact, ...stamp });

export const professionalIs = (facts: Partial<Profile> = {}, at: string = times.start): Fact => {
  const data = { professionalId: ids.professional, ...bodies.professional, ...facts };
  return toProfessional({ type: 'ProfessionalRecorded', data }, { at });
};

export const postingIs = (facts: Partial<PostingData> = {}, at: string = times.start): Fact =>
  toPosting({ type: 'PostingRecorded', data: { postingId: ids.posting, ...bodies.posting, ...facts } }, { at });

export const officeIs = (
  facts: Partial<OfficeData> = {},
  at: string = times.start,
  officeId: string = ids.office,
): Fact =>
  on(officeDecider, officeId)({ type: 'OfficeRecorded', data: { officeId, ...bodies.office, ...facts } }, { at });

export const phoneSet = (phoneNumber: string, at: string): Fact =>
  toUser({ type: 'PhoneNumberChanged', data: { userId: ids.user, codeId: 'code-1', phoneNumber } }, { at });

export const toList = on(savedPostingsDecider, ids.professional);
export const save = { professionalId: ids.professional, postingId: ids.posting } as const;
export const saved = toList({ type: 'PostingSaved', data: save });
export const unsaved = toList({ type: 'PostingUnsaved', data: save }, { at: times.later });

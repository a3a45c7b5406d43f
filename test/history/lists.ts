import fc from 'fast-check';
import { reviewDecider, reviewIdOf } from '../../src/domain/review.ts';
import { savedPostingsDecider } from '../../src/domain/saved-postings.ts';
import { specialtyDecider } from '../../src/domain/specialty.ts';
import { userDecider } from '../../src/domain/user.ts';
import type { NewEventsOf } from './new-events.ts';
import { days } from '../../src/schema/vocabulary.ts';
import type { StreamHistory } from '../support/history.ts';
import { ids, latitudes, LONGITUDE, orNull, streamArbitrary, streamsOf } from './streams.ts';

type UserEvent = NewEventsOf<typeof userDecider>;
type SavedEvent = NewEventsOf<typeof savedPostingsDecider>;
type SpecialtyEvent = NewEventsOf<typeof specialtyDecider>;
type ReviewEvent = NewEventsOf<typeof reviewDecider>;

/** A phone change with all that comes before it, from the code's issue on. */
const phoneChange = (userId: string, phoneNumber: string, number: number): UserEvent[] => {
  const code = { userId, codeId: `code-${number}` };
  const expiresAt = '2026-03-02T09:00:00.000Z';
  return [
    { type: 'CodeIssued', data: { ...code, channel: 'sms', destination: phoneNumber, codeHash: 'hash', expiresAt } },
    { type: 'CodeDelivered', data: code },
    { type: 'CodeRefused', data: code },
    { type: 'CodeAccepted', data: { ...code, tokenExpiresAt: expiresAt } },
    { type: 'PhoneNumberChanged', data: { ...code, phoneNumber } },
  ];
};

const settings = fc.record({
  ...(Object.fromEntries(days.map((day) => [day, fc.boolean()])) as Record<
    (typeof days)[number],
    fc.Arbitrary<boolean>
  >),
  contractor: orNull(fc.boolean()),
  employee: orNull(fc.boolean()),
});

export const userStreams = streamsOf(userDecider, ids.users, (userId) => {
  const act = fc.oneof(
    fc
      .constantFrom('+12015550101', '+12015550103', '+12015550104')
      .map((phoneNumber) => (number: number) => phoneChange(userId, phoneNumber, number)),
    settings.map((set) => (): UserEvent[] => [{ type: 'JobNotificationSettingsChanged', data: { userId, ...set } }]),
    fc
      .constantFrom(...ids.professionals)
      .map((professionalId) => (): UserEvent[] => [
        { type: 'UserNamedByProfessional', data: { userId, professionalId } },
      ]),
  );
  return fc.array(act, { maxLength: 4 }).map((acts) => acts.flatMap((events, number) => events(number)));
});

const place = fc.constantFrom(...latitudes).map((latitude) => ({ latitude, longitude: LONGITUDE }));
const listAct = fc.record({
  postingId: fc.constantFrom(...ids.postings),
  act: fc.constantFrom('toggle', 'toggle', 'measure'),
  from: place,
  to: place,
  roadDistance: fc.constantFrom(45.2, 50, 120, 250),
});

/** A professional's list: a posting is saved when it is off it, unsaved when it is on it, measured only while on it. */
export const savedPostingStreams = streamsOf(savedPostingsDecider, ids.professionals, (professionalId) =>
  fc.array(listAct, { maxLength: 8 }).map((acts) => {
    const saved = new Set<string>();
    return acts.flatMap(({ postingId, act, from, to, roadDistance }): SavedEvent[] => {
      const data = { professionalId, postingId };
      if (act === 'measure') {
        if (!saved.has(postingId)) return [];
        return [{ type: 'CommuteMeasured', data: { ...data, from, to, roadDistance, eta: 'PT55M' } }];
      }
      if (saved.delete(postingId)) return [{ type: 'PostingUnsaved', data }];
      saved.add(postingId);
      return [{ type: 'PostingSaved', data }];
    });
  }),
);

const shuffled = fc.shuffledSubarray([...ids.entries]);

export const specialtyStreams = streamsOf(specialtyDecider, ids.specialties, (specialtyId) => {
  const recorded = fc
    .tuple(fc.constantFrom('Hygiene', 'Orthodontics'), shuffled)
    .chain(([name, procedureIds]) =>
      fc
        .array(fc.shuffledSubarray(procedureIds, { minLength: procedureIds.length }), { maxLength: 2 })
        .map((orders): SpecialtyEvent[] => [
          {
            type: 'SpecialtyRecorded',
            data: { specialtyId, name, procedures: procedureIds.map((id) => ({ id, name: `The ${id}` })) },
          },
          ...orders.map((order) => ({
            type: 'ProceduresReordered' as const,
            data: { specialtyId, procedureIds: order },
          })),
        ]),
    );
  return fc.array(recorded, { maxLength: 2 }).map((parts) => parts.flat());
});

const verdict = fc.tuple(shuffled, fc.nat({ max: 4 })).filter(([entries]) => entries.length > 0);
const slots = ids.professionals.flatMap((professionalId) =>
  ids.offices.flatMap((officeId) => [null, ids.postings[0]].map((jobId) => ({ professionalId, officeId, jobId }))),
);

/** Reviews of some professionals for some jobs; a second review in a slot replaces the first. */
export const reviewStreams: fc.Arbitrary<StreamHistory[]> = fc.subarray(slots, { maxLength: 6 }).chain((chosen) =>
  fc.tuple(
    ...chosen.map(({ professionalId, officeId, jobId }) => {
      const reviewId = reviewIdOf(professionalId, officeId, jobId);
      const events = fc.array(verdict, { minLength: 1, maxLength: 3 }).map((verdicts) =>
        verdicts.map(([entries, cut]): ReviewEvent => {
          const facts = { professionalId, officeId, jobId, profession: 'hygienist', specialty: null };
          return {
            type: 'ReviewPosted',
            data: { reviewId, ...facts, endorsed: entries.slice(0, cut), renounced: entries.slice(cut) },
          };
        }),
      );
      return streamArbitrary(reviewDecider, reviewId, events);
    }),
  ),
);

import { expect } from 'chai';
import fc from 'fast-check';
import { queries } from '../../../queries/index.ts';
import { getJobNotificationSettings } from '../../../queries/job-notification-settings.ts';
import { getPostingCandidatesByAdmin } from '../../../queries/admin-posting-candidates.ts';
import { getPostingCandidates } from '../../../queries/posting-candidates.ts';
import { getProfessionalCandidates } from '../../../queries/professional-candidates.ts';
import { getProfessional } from '../../../queries/professional.ts';
import { getSavedPostings } from '../../../queries/saved-postings.ts';
import { getSpecialty } from '../../../queries/specialty.ts';
import { DomainError } from '../../../src/errors/domain-error.ts';
import type { RecordedEvent } from '../../../src/event-store/port.ts';
import { partitionAnswerAt } from '../../../src/history/moment/partition-at.ts';
import { historyReadModels } from '../../../src/history/moment/history-read-models.ts';
import { noMask } from '../../../src/history/moment/mask.ts';
import { encodeJsonBody } from '../../../src/application/lazy-json.ts';
import type { Query } from '../../../src/application/query.ts';
import type { ReadModels } from '../../../src/read-models/port.ts';
import type { JsonObject } from '../../../src/schema/json.ts';
import { applyLog, logOf } from '../../projections/applying.ts';
import { inTime } from '../../support/history.ts';
import { histories } from '../../support/history.ts';
import { openMemoryReadModels } from '../../support/memory-stores.ts';
import { everyPartition, logsWithMoments, momentAfter, sourceOf, type Shown } from './stage.ts';

const administrator = { id: 'ada', professionalId: undefined, officeId: undefined, isAdmin: true, isAnalyst: false };
const PAGE_SIZE = 2;

type Body = Record<string, unknown>;

/** What the service would send for one page; undefined for a 404. */
const pageOf = async (
  { readModel: { name }, partition: id }: Shown,
  readModels: ReadModels,
  page: number,
  category: 'active' | 'archived',
): Promise<Body | undefined> => {
  const parameters = { page, pageSize: PAGE_SIZE };
  const ofUser = { principal: { ...administrator, professionalId: id }, params: {} };
  const ofPosting = { principal: administrator, params: { postingId: id }, parameters };
  const find = (): Promise<object> => {
    switch (name) {
      case 'posting-candidates':
        return getPostingCandidates.find(ofPosting, readModels);
      case 'admin-posting-candidates':
        return getPostingCandidatesByAdmin.find(ofPosting, readModels);
      case 'professional-candidates':
        return getProfessionalCandidates.find({ ...ofUser, parameters: { ...parameters, category } }, readModels);
      case 'saved-postings':
        return getSavedPostings.find({ ...ofUser, parameters }, readModels);
      case 'professional-profiles':
        return getProfessional.find({ principal: undefined, params: { id }, parameters: {} }, readModels);
      case 'specialties':
        return getSpecialty.find({ principal: administrator, params: { id }, parameters: {} }, readModels);
      default:
        throw new Error(`The test knows no query of ${name}`);
    }
  };
  try {
    return JSON.parse(encodeJsonBody(await find()).toString()) as Body;
  } catch (error) {
    if (error instanceof DomainError && error.reason === 'not-found') return undefined;
    throw error;
  }
};

/** All rows that a service serves, page after page, as text; and what it sends beside them. */
const servedOn = async (events: readonly RecordedEvent[], shown: Shown) => {
  const readModels = openMemoryReadModels();
  await applyLog(readModels, shown.readModel.projection, logOf(events));
  const rows: string[] = [];
  const beside: Body = {};
  const categories =
    shown.readModel.name === 'professional-candidates' ? (['active', 'archived'] as const) : (['active'] as const);
  for (const category of categories)
    for (let page = 1; ; page++) {
      const body = await pageOf(shown, readModels, page, category);
      if (!body) break;
      const { data, metadata, summary } = body;
      if (metadata) beside['metadata'] = metadata;
      if (summary) beside['summary'] = summary;
      const found = Array.isArray(data) ? (data as unknown[]) : [body];
      rows.push(...found.map((row) => JSON.stringify(row)));
      if (!data || found.length < PAGE_SIZE) break;
    }
  return { rows, beside: JSON.stringify(beside) };
};

const asText = ({ rows, beside }: { readonly rows: readonly JsonObject[]; readonly beside: JsonObject }) => ({
  rows: rows.map((row) => JSON.stringify(row)),
  beside: JSON.stringify(beside),
});

describe('The rows of a read model at a moment', () => {
  it('are, byte for byte, those of a service whose log ends there', async () => {
    await fc.assert(
      fc.asyncProperty(logsWithMoments, async ({ events, first, readModel, partition }) => {
        const shown = { readModel, partition };
        const found = await partitionAnswerAt(
          sourceOf(events),
          readModel,
          partition,
          momentAfter(events, first),
          noMask,
        );
        expect(asText(found)).to.deep.equal(await servedOn(events.slice(0, first), shown));
        expect(found.leftOut).to.deep.equal([]);
      }),
      { numRuns: 300 },
    );
  });

  for (const readModel of historyReadModels)
    it(`are found in such histories: ${readModel.name}`, async () => {
      let rows = 0;
      for (const history of fc.sample(histories, { numRuns: 20, seed: 1 })) {
        const { events } = logOf(inTime(history));
        for (const { partition } of everyPartition.filter((each) => each.readModel === readModel))
          rows += (
            await partitionAnswerAt(sourceOf(events), readModel, partition, momentAfter(events, events.length), noMask)
          ).rows.length;
      }
      expect(rows).to.be.greaterThan(5);
    });

  it('are those of every query but the read-backs whose members these or the events have', () => {
    const projections = new Set(historyReadModels.map(({ projection }) => projection));
    const unseen = (queries as readonly Query<never>[]).filter(({ reads }) =>
      reads.every((projection) => !projections.has(projection)),
    );
    expect(unseen).to.deep.equal([]);
    const listed = queries.filter(
      ({ path }) => !/^\/internal\/(?:offices|postings)\/|\/candidates\/|-settings$/.test(path),
    );
    const names = listed.map((query) => query.name).join(', ');
    expect(historyReadModels, `a read model for each of ${names}`).to.have.length(listed.length);
    expect(getJobNotificationSettings.reads).to.deep.equal(getProfessional.reads);
  });

  it('leave out a stream from an event on that cannot be applied, and say so', async () => {
    // Given a log in which the second event of a candidate is of a newer version
    const { events, shown, broken } = logWithCandidate();

    // When
    const found = await partitionAnswerAt(
      sourceOf(events.map((event) => (event === broken ? { ...event, version: 99 } : event))),
      shown.readModel,
      shown.partition,
      momentAfter(events, events.length),
      noMask,
    );

    // Then
    expect(asText(found).rows).to.deep.equal((await servedOn(events.slice(0, 1), shown)).rows);
    expect(found.leftOut.map(({ stream, revision }) => ({ stream, revision }))).to.deep.equal([
      { stream: broken.stream, revision: 1 },
    ]);
    expect(found.leftOut[0]?.reason).to.match(/its version 99 is newer than this code's/);
  });
});

/** The candidate c1 of the posting p1, who applied and was hired. */
const logWithCandidate = () => {
  const ids = { candidateId: 'c1', postingId: 'p1', professionalId: 'ann' };
  const eventOf = (revision: number, type: string, data: JsonObject): RecordedEvent => ({
    id: `e${revision}`,
    type,
    version: 1,
    data,
    metadata: {
      $correlationId: 'r',
      $causationId: 'r',
      actor: 'ann',
      requestId: 'r',
      recordedAt: `2026-03-01T09:00:0${revision}.000Z`,
    },
    stream: 'candidate-c1',
    revision,
    position: `00000${revision + 1}`,
  });
  const broken = eventOf(1, 'CandidateHired', ids);
  const events = [eventOf(0, 'CandidateApplied', { ...ids, resumeId: 'r1' }), broken];
  const readModel = historyReadModels.find(({ name }) => name === 'posting-candidates');
  if (!readModel) throw new Error('There are no candidates of postings');
  return { events, broken, shown: { readModel, partition: 'p1' } };
};

import { expect } from 'chai';
import { bodies } from '../support/examples.ts';
import { at } from './answer-rules.ts';
import { bearer, startCheckedService, type CheckedService } from './checked-service.ts';
import { createCast, putCast, putOffice, putPosting, putProfessional, save, unsave, type Cast } from './stories.ts';

/** A degree of latitude is 69.09 miles; the road estimate is 1.3 times that. */
const north = (degrees: number) => ({
  address: [{ ...bodies.office.address[0], latitude: String(30 + degrees), longitude: '-97' }],
});
const nowhere = { distance: null, eta: null, roadDistance: null };
const none = { within50MilesCount: 0, within100MilesCount: 0, within150MilesCount: 0, within200MilesCount: 0 };

/** The summary of GET /postings/saved (interface specification, 2.7). */
describe('The summary of the saved postings', () => {
  let service: CheckedService;
  let cast: Cast;
  let count = 0;
  const list = async (query = '') =>
    service.send('GET', `/postings/saved${query}`, { headers: await bearer(cast.professional) });
  const saveOne = (id: string = cast.ids.posting) => save(service, id, cast.professional);

  before(async () => {
    service = await startCheckedService();
  });
  beforeEach(() => {
    cast = createCast(++count);
  });
  after(() => service.stop());

  it('counts those within so many miles by road, each farther count with the nearer ones', async () => {
    await putProfessional(service, cast.ids.professional, { latitude: 30, longitude: -97 });
    // By road 44.91, 89.82, 134.73, 179.64 and 224.55 miles.
    for (const [index, degrees] of [0.5, 1, 1.5, 2, 2.5].entries()) {
      await putOffice(service, `office-${index}`, north(degrees));
      await putPosting(service, `posting-${index}`, { officeId: `office-${index}` });
      await saveOne(`posting-${index}`);
    }
    await putOffice(service, 'office-hidden', { address: [] });
    await putPosting(service, 'posting-hidden', { officeId: 'office-hidden' });
    await saveOne('posting-hidden');
    const counts = { within50MilesCount: 1, within100MilesCount: 2, within150MilesCount: 3, within200MilesCount: 4 };
    for (const query of ['', '?pageSize=1', '?page=9'])
      expect(at((await list(query)).body, 'summary')).to.deep.equal(counts);
    await putProfessional(service, cast.ids.professional, { latitude: null });
    expect(at((await list()).body, 'summary')).to.deep.equal(none);
    expect(at((await list()).body, 'data', 0, 'commute', 'drive')).to.deep.equal(nowhere);
  });

  it('no more counts those that were taken off', async () => {
    await putCast(service, cast);
    await saveOne();
    await unsave(service, cast.ids.posting, cast.professional);
    expect(at((await list()).body, 'summary', 'within200MilesCount')).to.equal(0);
  });
});

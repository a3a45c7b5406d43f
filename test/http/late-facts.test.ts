import { expect } from 'chai';
import { bodies, phoneNumbers } from '../support/examples.ts';
import { at, expectError } from './answer-rules.ts';
import { bearer, startCheckedService, type CheckedService } from './checked-service.ts';
import {
  apply,
  createCast,
  mfaToken,
  putCast,
  putOffice,
  putPosting,
  putProfessional,
  save,
  type Cast,
} from './stories.ts';

describe('Facts in the documents that show them', () => {
  let service: CheckedService;
  let cast: Cast;
  let count = 0;
  const applyOne = () => apply(service, cast.professional, cast.ids.posting);
  const saveOne = () => save(service, cast.ids.posting, cast.professional);
  const rename = (change: Readonly<Record<string, unknown>>) =>
    putProfessional(service, cast.ids.professional, { userId: cast.ids.user, ...change });
  /** All documents that show the cast's people and postings. */
  const documents = async () => {
    const [professional, owner] = [await bearer(cast.professional), await bearer(cast.office)];
    const candidates = `/postings/${cast.ids.posting}/candidates`;
    const [own, saved, office, admin] = await Promise.all([
      service.send('GET', '/professionals/candidates?category=active', { headers: professional }),
      service.send('GET', '/postings/saved', { headers: professional }),
      service.send('GET', candidates, { headers: owner }),
      service.send('GET', `/admin${candidates}`, { as: 'admin' }),
    ]);
    return {
      own: at(own.body, 'data', 0),
      saved: at(saved.body, 'data', 0),
      summary: at(saved.body, 'summary'),
      office: at(office.body, 'data', 0),
      admin: at(admin.body, 'data', 0),
    };
  };

  before(async () => {
    service = await startCheckedService();
  });
  beforeEach(() => {
    cast = createCast(++count);
    service.clock.advance(61);
  });
  after(() => service.stop());

  it('after the application and the save give the documents that they give before', async () => {
    const { officeId: _office, ...facts } = bodies.posting;
    const { title, profession } = facts;
    const { posting, office: officeId } = cast.ids;
    await service.send('PUT', `/internal/postings/${posting}`, { body: { officeId, title, profession } });
    const id = await applyOne();
    await saveOne();
    await putCast(service, cast);
    const late = JSON.stringify(await documents());

    const early = cast;
    cast = createCast(++count);
    await putCast(service, cast);
    const other = await applyOne();
    await saveOne();
    const renamed = Object.entries({ ...early.ids, id }).reduce(
      (text, [name, from]) => text.replaceAll(`"${from}"`, `"${{ ...cast.ids, id: other }[name] ?? ''}"`),
      late,
    );
    expect(JSON.parse(renamed)).to.deep.equal(await documents());
  });

  it('of a renamed professional reach every document, and touch no updatedAt', async () => {
    await putCast(service, cast);
    await applyOne();
    const { own: before } = await documents();
    service.clock.advance(1);
    const renamed = {
      firstName: 'Anna',
      lastName: 'Li',
      email: 'anna@example.com',
      picture: null,
      yearsOfExperience: null,
    };
    await rename(renamed);
    const { own, office, admin } = await documents();
    const updatedAt = at(before, 'updatedAt');
    expect(own).to.include({ professionalName: 'Anna Li', professionalEmail: 'anna@example.com', updatedAt });
    expect(office).to.include({
      professionalName: 'Anna Li',
      professionalPicture: null,
      yearsOfExperience: null,
      updatedAt,
    });
    expect(admin).to.include({ professionalName: 'Anna Li', professionalEmail: 'anna@example.com', updatedAt });
    const { body } = await service.send('GET', `/admin/postings/${cast.ids.posting}/candidates?name=anna`, {
      as: 'admin',
    });
    expect(body).to.include({ total: 1 });
  });

  it('of a renamed office reach every document', async () => {
    await putCast(service, cast);
    await applyOne();
    await saveOne();
    await putOffice(service, cast.ids.office, { officeName: 'Brighter', address: [], officeInfo: null });
    const { own, saved, summary } = await documents();
    expect(at(own, 'postingDetails', 'officeName')).to.equal('Brighter');
    expect(at(saved, 'offerOwner')).to.deep.equal({
      id: cast.ids.office,
      officeName: 'Brighter',
      address: [],
      officeInfo: null,
    });
    expect(at(saved, 'commute', 'drive', 'distance')).to.equal(null);
    expect(at(summary, 'within50MilesCount')).to.equal(0);
  });

  it('of a revised posting reach every document, createdAt staying', async () => {
    const arrived = service.clock.now().toISOString();
    await putCast(service, cast);
    await applyOne();
    await saveOne();
    service.clock.advance(1);
    await putPosting(service, cast.ids.posting, {
      title: 'Revised',
      specialty: null,
      salaryRange: null,
      officeId: 'office-new',
    });
    const { own, saved } = await documents();
    expect(at(own, 'postingDetails')).to.include({
      postingTitle: 'Revised',
      specialty: null,
      salaryRange: null,
      officeId: 'office-new',
      officeName: null,
    });
    expect(saved).to.include({
      title: 'Revised',
      specialty: null,
      salaryRange: null,
      createdAt: arrived,
      publishedAt: arrived,
    });
    expect(at(saved, 'offerOwner')).to.deep.equal({
      id: 'office-new',
      officeName: null,
      address: [],
      officeInfo: null,
    });
  });

  describe('show the newest phone number', () => {
    const phone = async () => {
      const { body } = await service.send('GET', `/internal/professionals/${cast.ids.professional}`);
      const { own, admin } = await documents();
      expect(at(own, 'professionalPhone')).to.equal(at(admin, 'professionalPhone')).and.to.equal(at(body, 'phone'));
      return at(body, 'phone');
    };
    const setOwn = async (phoneNumber: string) => {
      const headers = {
        'X-Service-MFA-Token': await mfaToken(service, cast.professional),
        ...(await bearer(cast.professional)),
      };
      await service.send('PATCH', '/users/phone', { headers, body: { phoneNumber } });
    };

    beforeEach(async () => {
      await putCast(service, cast);
      await applyOne();
      service.clock.advance(1);
    });

    it('which is the profile’s while the user set none, null too', async () => {
      expect(await phone()).to.equal(phoneNumbers.profile);
      await rename({ phone: null });
      expect(await phone()).to.equal(null);
    });

    it('which is the user’s once it is set, whatever else a later profile changes', async () => {
      await setOwn(phoneNumbers.wanted);
      service.clock.advance(1);
      await rename({ lastName: 'Li' });
      expect(await phone()).to.equal(phoneNumbers.wanted);
      await rename({ phone: null });
      expect(await phone()).to.equal(phoneNumbers.wanted);
    });

    it('which is a later profile’s that brings another number', async () => {
      await setOwn(phoneNumbers.wanted);
      service.clock.advance(1);
      await rename({ phone: phoneNumbers.other });
      expect(await phone()).to.equal(phoneNumbers.other);
      service.clock.advance(1);
      await setOwn(phoneNumbers.wanted);
      expect(await phone()).to.equal(phoneNumbers.wanted);
    });

    it('stored as E.164, and a 400 for what cannot be one', async () => {
      await rename({ phone: '512-555-0199' });
      expect(await phone()).to.equal(phoneNumbers.other);
      const body = { ...bodies.professional, phone: 'call me' };
      expectError(
        await service.send('PUT', `/internal/professionals/${cast.ids.professional}`, { body }),
        400,
        /^body\/phone must be a phone number/,
      );
    });
  });
});

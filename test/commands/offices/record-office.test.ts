import { recordOffice } from '../../../commands/offices/record-office.ts';
import { officeDecider } from '../../../src/domain/office.ts';
import { bodies, ids } from '../../support/examples.ts';
import { on } from '../../support/facts.ts';
import { given, noContent } from '../../support/given.ts';
import { inOtherOrder } from '../other-order.ts';

const toOffice = on(officeDecider, ids.office);
const known = toOffice({ type: 'OfficeRecorded', data: { officeId: ids.office, ...bodies.office } });
const put = (body: object) => ({ params: { id: ids.office }, body });

describe('recordOffice', () => {
  it('records an office', () => given().when(recordOffice, put(bodies.office)).then([known], noContent));

  it('appends nothing for the same content with its members in another order', () =>
    given(known)
      .when(recordOffice, { params: { id: ids.office }, body: inOtherOrder(bodies.office) })
      .thenNothing());

  it('replaces the whole fact: what is left out is null, and lists are empty', () =>
    given(known)
      .when(recordOffice, put({ officeName: 'Brighter Smiles' }))
      .then(
        [
          toOffice({
            type: 'OfficeRecorded',
            data: { officeId: ids.office, officeName: 'Brighter Smiles', address: [], officeInfo: null },
          }),
        ],
        noContent,
      ));

  it('takes null for left out, within objects and lists too', () =>
    given()
      .when(
        recordOffice,
        put({
          officeName: 'Bright',
          address: [{ city: 'Austin', state: null }],
          officeInfo: { softwares: null, isDso: false },
        }),
      )
      .then(
        [
          toOffice({
            type: 'OfficeRecorded',
            data: {
              officeId: ids.office,
              officeName: 'Bright',
              address: [
                {
                  city: 'Austin',
                  formattedAddress: null,
                  latitude: null,
                  longitude: null,
                  postalCode: null,
                  state: null,
                },
              ],
              officeInfo: {
                bestInDentalYears: [],
                insurances: [],
                softwares: [],
                isAssistedHygiene: null,
                isDso: false,
                isInfoAsked: null,
                officeRating: null,
                officeType: null,
                patientsPerHour: null,
                patientsPerHourDa: null,
                patientsPerHourDn: null,
                timePerPatientDA: null,
                timePerPatientDN: null,
                timePerPatientRDH: null,
              },
            },
          }),
        ],
        noContent,
      ));

  it('takes null members and lists for the same as left out when it compares', () =>
    given(
      toOffice({
        type: 'OfficeRecorded',
        data: { officeId: ids.office, officeName: 'Bright', address: [], officeInfo: null },
      }),
    )
      .when(recordOffice, put({ officeName: 'Bright', address: null, officeInfo: null }))
      .thenNothing());

  it('records what was true before and is true again', () =>
    given(
      known,
      toOffice({
        type: 'OfficeRecorded',
        data: { officeId: ids.office, officeName: 'Bright', address: [], officeInfo: null },
      }),
    )
      .when(recordOffice, put(bodies.office))
      .then([known], noContent));

  it('appends nothing for a zero with a sign, which JSON text does not keep', () => {
    const rated = (officeRating: number) => ({ officeInfo: { ...bodies.office.officeInfo, officeRating } });
    return given(toOffice({ type: 'OfficeRecorded', data: { officeId: ids.office, ...bodies.office, ...rated(0) } }))
      .when(recordOffice, put({ ...bodies.office, ...rated(-0) }))
      .thenNothing();
  });

  for (const missing of [{ address: [] }, { officeName: null, address: [] }])
    it(`refuses ${JSON.stringify(missing)}, which has no name`, () =>
      given().when(recordOffice, put(missing)).thenRefused('invalid', 'body/officeName is required'));

  it('refuses a latitude that is no text of a decimal number', () =>
    given()
      .when(recordOffice, put({ officeName: 'Bright', address: [{ latitude: '91' }] }))
      .thenRefused('invalid', 'body/address/0/latitude must be a decimal number from -90 to 90, as a text'));
});

import { recordProfessional } from '../../../commands/professionals/record-professional.ts';
import { userDecider } from '../../../src/domain/user.ts';
import { bodies, ids, phoneNumbers } from '../../support/examples.ts';
import { on } from '../../support/facts.ts';
import { given, noContent } from '../../support/given.ts';
import { professionalKnown, toProfessional, userNamed } from '../known.ts';
import { inOtherOrder } from '../other-order.ts';

const put = (body: unknown) => ({ params: { id: ids.professional }, body });
const revised = { ...bodies.professional, userId: ids.otherUser };
const recordedRevised = toProfessional({
  type: 'ProfessionalRecorded',
  data: { professionalId: ids.professional, ...revised },
});
const otherUserNamed = on(
  userDecider,
  ids.otherUser,
)({ type: 'UserNamedByProfessional', data: { userId: ids.otherUser, professionalId: ids.professional } });

describe('recordProfessional', () => {
  it('names the user first, then records the profile', () =>
    given().when(recordProfessional, put(bodies.professional)).then([userNamed, professionalKnown], noContent));

  it('records the profile when the user was named and then the service stopped', () =>
    given(userNamed).when(recordProfessional, put(bodies.professional)).then([professionalKnown], noContent));

  it('appends nothing for the same content with its members in another order', () =>
    given(userNamed, professionalKnown)
      .when(recordProfessional, put(inOtherOrder(bodies.professional)))
      .thenNothing());

  it('names another user when the profile does', () =>
    given(userNamed, professionalKnown)
      .when(recordProfessional, put(revised))
      .then([otherUserNamed, recordedRevised], noContent));

  it('does not name a user twice', () =>
    given(userNamed, professionalKnown, otherUserNamed, recordedRevised)
      .when(recordProfessional, put(bodies.professional))
      .then([professionalKnown], noContent));

  it('replaces the whole profile: what is left out or null is null', () =>
    given(userNamed, professionalKnown)
      .when(recordProfessional, put({ userId: ids.user, firstName: 'Ann', lastName: 'Lee', phone: null }))
      .then(
        [
          toProfessional({
            type: 'ProfessionalRecorded',
            data: {
              professionalId: ids.professional,
              userId: ids.user,
              firstName: 'Ann',
              lastName: 'Lee',
              email: null,
              phone: null,
              picture: null,
              yearsOfExperience: null,
              profession: null,
              latitude: null,
              longitude: null,
            },
          }),
        ],
        noContent,
      ));

  for (const phone of ['(512) 555-0123', '512-555-0123', '+1 512 555 0123', '1.512.555.0123'])
    it(`keeps ${phone} in E.164`, () =>
      given(userNamed)
        .when(recordProfessional, put({ ...bodies.professional, phone }))
        .then([professionalKnown], noContent));

  it('appends nothing for the same phone number in another notation', () =>
    given(userNamed, professionalKnown)
      .when(recordProfessional, put({ ...bodies.professional, phone: '(512) 555-0123' }))
      .thenNothing());

  it('keeps the country code of a number from abroad', () =>
    given(userNamed)
      .when(recordProfessional, put({ ...bodies.professional, phone: '+44 20 7946 0018' }))
      .then(
        [
          toProfessional({
            type: 'ProfessionalRecorded',
            data: { professionalId: ids.professional, ...bodies.professional, phone: '+442079460018' },
          }),
        ],
        noContent,
      ));

  for (const phone of ['', '12', 'call me', '+1512555012345678', `${phoneNumbers.profile} ext. 7`])
    it(`refuses '${phone}' as a phone number, and does not name the user either`, () =>
      given()
        .when(recordProfessional, put({ ...bodies.professional, phone }))
        .thenRefused('invalid', 'body/phone must be a phone number, best with its country code: +14155550123'));

  it('appends nothing for a zero with a sign, which JSON text does not keep', () =>
    given(
      userNamed,
      toProfessional({
        type: 'ProfessionalRecorded',
        data: { professionalId: ids.professional, ...bodies.professional, longitude: 0 },
      }),
    )
      .when(recordProfessional, put({ ...bodies.professional, longitude: -0 }))
      .thenNothing());

  for (const name of ['userId', 'firstName', 'lastName'])
    it(`refuses a profile without ${name}`, () =>
      given()
        .when(recordProfessional, put({ ...bodies.professional, [name]: null }))
        .thenRefused('invalid', `body/${name} is required`));
});

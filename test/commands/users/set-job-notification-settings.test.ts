import { setJobNotificationSettings } from '../../../commands/users/set-job-notification-settings.ts';
import { days } from '../../../src/schema/vocabulary.ts';
import { bodies, ids, type claims } from '../../support/examples.ts';
import { given } from '../../support/given.ts';
import { professionalKnown, toProfessional, toUser, userNamed } from '../known.ts';
import { inOtherOrder } from '../other-order.ts';

type Settings = Record<keyof typeof bodies.settings, boolean>;
const settings: Settings = bodies.settings;
const { contractor: _contractor, employee: _employee, ...week } = settings;
const set = (
  facts: Omit<Settings, 'contractor' | 'employee'> & { contractor: boolean | null; employee: boolean | null },
) => toUser({ type: 'JobNotificationSettingsChanged', data: { userId: ids.user, ...facts } }, { by: ids.admin });
const stored = (body: object) => ({ status: 200, body });
const put = (body: unknown = settings, as: keyof typeof claims = 'admin') => ({
  as,
  params: { userid: ids.user },
  body,
});
const known = [userNamed, professionalKnown];

describe('setJobNotificationSettings', () => {
  it('stores the settings and answers with them', () =>
    given(...known)
      .when(setJobNotificationSettings, put())
      .then([set(settings)], stored(settings)));

  it('appends nothing for the same with its members in another order', () =>
    given(...known, set(settings))
      .when(setJobNotificationSettings, put(inOtherOrder(settings)))
      .thenNothing(stored(settings)));

  it('has null classifications before they were given the first time', () =>
    given(...known)
      .when(setJobNotificationSettings, put(week))
      .then(
        [set({ ...week, contractor: null, employee: null })],
        stored({ ...week, contractor: null, employee: null }),
      ));

  for (const [name, body] of [
    ['left out', week],
    ['null', { ...week, contractor: null, employee: null }],
  ] as const) {
    it(`leaves classifications as they were when they are ${name}`, () =>
      given(...known, set(settings))
        .when(setJobNotificationSettings, put({ ...body, sunday: true }))
        .then([set({ ...settings, sunday: true })], stored({ ...settings, sunday: true })));

    it(`appends nothing when the days are the same and the classifications ${name}`, () =>
      given(...known, set(settings))
        .when(setJobNotificationSettings, put(body))
        .thenNothing(stored(settings)));
  }

  it('changes one classification and leaves the other', () =>
    given(...known, set(settings))
      .when(setJobNotificationSettings, put({ ...week, contractor: false }))
      .then([set({ ...settings, contractor: false })], stored({ ...settings, contractor: false })));

  for (const day of days)
    it(`refuses settings without ${day}`, () =>
      given(...known)
        .when(setJobNotificationSettings, put({ ...settings, [day]: null }))
        .thenRefused('invalid', `body/${day} is required`));

  const nobody = 'No professional has the user in path/userid';

  it('refuses a user whom no professional names', () =>
    given().when(setJobNotificationSettings, put()).thenRefused('not-found', nobody));

  it('refuses a user whom no profile names any more', () =>
    given(
      ...known,
      toProfessional({
        type: 'ProfessionalRecorded',
        data: { professionalId: ids.professional, ...bodies.professional, userId: ids.otherUser },
      }),
    )
      .when(setJobNotificationSettings, put())
      .thenRefused('not-found', nobody));

  it('refuses a user who was named without a profile having followed', () =>
    given(userNamed).when(setJobNotificationSettings, put()).thenRefused('not-found', nobody));

  it("refuses the professional's id in the place of the user's", () =>
    given(...known)
      .when(setJobNotificationSettings, { ...put(), params: { userid: ids.professional } })
      .thenRefused('not-found', nobody));

  it('refuses a caller who is no administrator', () =>
    given(...known)
      .when(setJobNotificationSettings, put(settings, 'professional'))
      .thenRefused('forbidden', 'The token names no role admin'));
});

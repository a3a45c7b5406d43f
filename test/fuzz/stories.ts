import type { Random } from '../../src/tools/seed/random.ts';
import type { DescribedOperation } from './description.ts';
import { anyOf, shuffled } from './draw.ts';
import { placeOf } from './minted.ts';
import { withHeader, withMembers, type FuzzRequest } from './request.ts';
import type { Requests } from './requests.ts';
import type { Subject, World } from './world.ts';

/** Requests that lead to a deep state, each of them valid after those before it. */
type Story = (subject: Subject) => readonly FuzzRequest[];

const INTERVIEWS = ['2026-04-01T15:00:00Z', '2026-04-02T15:00:00Z', '2026-04-03T10:00:00.5-05:00'];

/** The stories of a plan; each call begins another. */
export const createStories = (
  random: Random,
  world: World,
  operations: ReadonlyMap<string, DescribedOperation>,
  requestTo: Requests,
) => {
  const to = (name: string, subject: Subject, members: object = {}): FuzzRequest => {
    const operation = operations.get(name);
    if (!operation) throw new Error(`The description has no operation ${name}`);
    const request = requestTo(operation, subject, 0);
    return Object.keys(members).length === 0 ? request : withMembers(request, members);
  };
  const move = (subject: Subject, change: object): FuzzRequest => ({ ...to('changeCandidate', subject), json: change });
  const scheduled = (interviewAt: string) => ({ officeStatus: 'scheduled', interviewAt });

  const hiring: Story = (subject) => [
    to('recordPosting', subject),
    to('savePosting', subject, { postingId: subject.posting.id }),
    to('applyToPosting', subject),
    to('getPostingCandidates', subject),
    move(subject, { isShortlisted: true }),
    ...shuffled(random, INTERVIEWS).map((at) => move(subject, scheduled(at))),
    move(subject, { officeStatus: anyOf(random, ['applied', 'interviewed']) }),
    move(subject, scheduled(anyOf(random, INTERVIEWS))),
    move(subject, { officeStatus: 'interviewed' }),
    move(subject, { officeStatus: anyOf(random, ['hired', 'rejected']) }),
    to('getProfessionalCandidates', subject),
    to('closePosting', subject),
    to('applyToPosting', subject),
    to('getSavedPostings', subject),
  ];

  const newNumber: Story = (subject) => {
    const { key } = subject;
    const phoneNumber = world.newPhone();
    const codeIn = { code: placeOf('code', key) };
    const tokenIn = { ...to('updatePhoneNumber', subject), json: { requestToken: placeOf('requestToken', key) } };
    return [
      to('recordProfessional', subject),
      { ...to('issuePhoneCode', subject, { phoneNumber }), keeps: { key, codeTo: phoneNumber } },
      ...(anyOf(random, [true, false]) ? [to('verifyPhoneCode', subject, { code: '000000' })] : []),
      { ...to('verifyPhoneCode', subject, codeIn), keeps: { key } },
      tokenIn,
      tokenIn,
      to('getProfessional', subject),
    ];
  };

  const newNumberByMail: Story = (subject) => {
    const { key, person } = subject;
    const change = { ...to('updatePhoneNumber', subject), json: { phoneNumber: world.newPhone() } };
    return [
      to('recordProfessional', subject),
      { ...to('startMfaFlow', subject), keeps: { key, codeTo: person.mail } },
      { ...to('answerMfaChallenge', subject, { code: placeOf('code', key) }), keeps: { key } },
      withHeader(change, 'X-Service-MFA-Token', placeOf('token', key)),
      to('getProfessional', subject),
    ];
  };

  const specialty: Story = (subject) => [
    to('recordSpecialty', subject),
    to('reorderProcedures', subject, { procedure_ids: shuffled(random, subject.specialty.procedures) }),
    to('getSpecialty', subject),
  ];

  const record: Story = (subject) => [
    to('recordOffice', subject),
    to('recordProfessional', subject),
    to('updateOnboardingStatus', subject),
    to('setJobNotificationSettings', subject),
    to('getJobNotificationSettings', subject),
    to('recordPosting', subject),
    to('postReview', subject, { jobID: subject.posting.id }),
    to('getProfessional', subject),
  ];

  const stories = [hiring, hiring, newNumber, newNumberByMail, specialty, record];
  return (): readonly FuzzRequest[] => {
    const posting = anyOf(random, [true, false]) ? world.newPosting() : world.subject().posting;
    return anyOf(random, stories)({ ...world.subject(), posting, key: world.newKey() });
  };
};

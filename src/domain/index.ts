import { auditDecider } from '../streams/audit.ts';
import { candidateDecider } from './candidate.ts';
import { noticeDecider } from './notices.ts';
import { officeDecider } from './office.ts';
import { phoneCodeRequestDecider } from './phone-code-requests.ts';
import { postingDecider } from './posting.ts';
import { professionalDecider } from './professional.ts';
import { reviewDecider } from './review.ts';
import { savedPostingsDecider } from './saved-postings.ts';
import { specialtyDecider } from './specialty.ts';
import { userDecider } from './user.ts';
import { webhooksDecider } from '../streams/webhooks.ts';
import { createDecoder } from '../streams/decode.ts';
import type { EventOf } from '../streams/events.ts';

export const deciders = [
  userDecider,
  phoneCodeRequestDecider,
  noticeDecider,
  professionalDecider,
  officeDecider,
  postingDecider,
  candidateDecider,
  savedPostingsDecider,
  specialtyDecider,
  reviewDecider,
  webhooksDecider,
  auditDecider,
] as const;

export const streamCategories = deciders.map(({ category }) => category);

export const eventDefinitions = deciders.flatMap(
  ({ events }) => [...events] as (typeof deciders)[number]['events'][number][],
);

/** Any event of the event log, as projections apply it. */
export type DomainEvent = EventOf<(typeof deciders)[number]['events'][number]>;

export const decodeDomainEvent = createDecoder(eventDefinitions);

import { candidateEvents } from './candidate.ts';
import type { EventDefinition } from '../streams/events.ts';
import { officeEvents } from './office.ts';
import { postingEvents } from './posting.ts';
import { professionalEvents } from './professional.ts';
import { reviewEvents } from './review.ts';
import { savedPostingsEvents } from './saved-postings.ts';
import { specialtyEvents } from './specialty.ts';
import { userEvents } from './user.ts';

const OF_USERS: readonly string[] = ['PhoneNumberChanged', 'JobNotificationSettingsChanged'];

/** The events that other systems may be sent: nothing of codes, notices, webhooks or the audit. */
export const publishedEvents: readonly EventDefinition[] = [
  ...professionalEvents,
  ...officeEvents,
  ...postingEvents,
  ...candidateEvents,
  ...savedPostingsEvents,
  ...specialtyEvents,
  ...reviewEvents,
  ...userEvents.filter(({ type }) => OF_USERS.includes(type)),
];

export const publishedEventTypes: readonly string[] = publishedEvents.map(({ type }) => type);

import type { SentError } from '../../lib/sent-error.ts';
import type { StoreSettings } from '../../stores.ts';
import type { Moment } from '../moment/moment.ts';
import type { NoAnswer } from './no-answer.ts';

export interface HistoryThreadData {
  readonly stores: StoreSettings;
  readonly maskSecret: string;
}

/** A question, valid by the schemas of the operation that it names. */
export interface QuestionAsked {
  readonly operation: string;
  readonly params: Readonly<Record<string, unknown>>;
  readonly parameters: Readonly<Record<string, unknown>>;
  readonly isUnmasked: boolean;
}

/** What the service tells the thread; a number stands for one question. */
export type ToHistory =
  | { readonly kind: 'ask'; readonly number: number; readonly question: QuestionAsked }
  /** The next piece of the answer is wanted. */
  | { readonly kind: 'next'; readonly number: number }
  /** No more of the answer is wanted. */
  | { readonly kind: 'leave'; readonly number: number }
  | { readonly kind: 'stop' };

export type FromHistory =
  /** The answer has begun; one that is no JSON object with the moment that it was made at. */
  | { readonly kind: 'begun'; readonly number: number; readonly upTo: Moment | undefined }
  | { readonly kind: 'piece'; readonly number: number; readonly text: string }
  | { readonly kind: 'end'; readonly number: number }
  | { readonly kind: 'none'; readonly number: number; readonly because: NoAnswer }
  | { readonly kind: 'dropped'; readonly error: SentError };

import type { GroupBatch } from '../event-store/port.ts';

/** What the thread tells that reads groups. */
export type FromGroupReader =
  | { readonly kind: 'batch'; readonly batch: GroupBatch }
  /** A subscription was dropped; it goes on by itself. */
  | { readonly kind: 'dropped'; readonly error: Error }
  | { readonly kind: 'end' };

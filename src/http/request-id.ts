import { newUuid } from '../uuid.ts';
import type { FindKey } from './api-keys.ts';
import type { Step } from './context.ts';

const USABLE = /^[A-Za-z0-9._-]{8,64}$/;
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
/** 7 to 15 digits (E.164, 6.2) that stand by themselves, with at most one separator between two of them. */
const NUMBER_TO_CALL = /(?<![A-Za-z0-9])\d(?:[._-]?\d){6,14}(?![A-Za-z0-9])/;

/**
 * Whether a client's id may be kept. It stands in lines of the application log and in events, so an id that looks
 * like a phone number, or is an API key, is not.
 */
export const isUsableId = (given: string, findKey: FindKey): boolean =>
  USABLE.test(given) && (UUID.test(given) || !NUMBER_TO_CALL.test(given)) && findKey(given) === undefined;

/** Gives every response an `X-Request-Id`: the client's, when it is usable, or a new one. */
export const requestId =
  (findKey: FindKey): Step =>
  async (ctx, next) => {
    const given = ctx.get('X-Request-Id');
    ctx.state.requestId = isUsableId(given, findKey) ? given : newUuid();
    ctx.set('X-Request-Id', ctx.state.requestId);
    await next();
  };

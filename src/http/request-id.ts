import { newUuid } from '../uuid.ts';
import type { Step } from './context.ts';

const USABLE = /^[A-Za-z0-9._~-]{1,128}$/;

/** Every response has an `X-Request-Id`: the caller's, when it is a usable one, or a new one. */
export const requestId = (): Step => async (ctx, next) => {
  const given = ctx.get('X-Request-Id');
  ctx.state.requestId = USABLE.test(given) ? given : newUuid();
  ctx.set('X-Request-Id', ctx.state.requestId);
  await next();
};

import { badRequest } from '../errors.ts';
import type { Step } from './context.ts';

/**
 * Makes sure that the request names a target (RFC 9112, 3.2): a Host, and an address from which the path can be read;
 * one in absolute form is taken for its path.
 */
export const requestTarget = (): Step => async (ctx, next) => {
  const { url = '' } = ctx.req;
  if (!url.startsWith('/') && url !== '*') {
    const isAddress = URL.canParse(url);
    const { pathname, search } = isAddress ? new URL(url) : { pathname: '/', search: '' };
    ctx.req.url = pathname + search;
    if (!isAddress) throw badRequest('The address of the request is not valid');
  }
  if (ctx.req.httpVersion === '1.1' && ctx.get('Host') === '') throw badRequest('The header Host is missing');
  await next();
};

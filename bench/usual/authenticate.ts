import createError from 'http-errors';
import { jwtVerify } from 'jose';
import type { Middleware } from 'koa';
import { Type, type Static } from '../../src/schema/typebox.ts';
import { validator } from './validate.ts';

const Claims = Type.Object({
  sub: Type.String(),
  professional_id: Type.Optional(Type.String()),
  office_id: Type.Optional(Type.String()),
  roles: Type.Optional(Type.Array(Type.String())),
});

/** What the steps of a request leave for those after them. */
export interface State {
  user: Static<typeof Claims>;
}

/** Verifies the bearer token of every request. */
export const authenticate = (secret: string): Middleware<State> => {
  const key = new TextEncoder().encode(secret);
  const claimsOf = validator('token', Claims);
  return async (ctx, next) => {
    const token = /^Bearer (\S+)$/.exec(ctx.get('Authorization'))?.[1];
    if (token === undefined) throw createError(401, 'The header Authorization must carry a bearer token');
    const { payload } = await jwtVerify(token, key, { algorithms: ['HS256'] }).catch(() => {
      throw createError(401, 'The bearer token is not valid, or no longer');
    });
    ctx.state.user = claimsOf(payload);
    await next();
  };
};

/** The professional that the user is. @throws HttpError, a 403, for another user */
export const professionalOf = ({ user }: State): string => {
  if (user.professional_id === undefined) throw createError(403, 'The token names no professional_id');
  return user.professional_id;
};

export const isAdmin = ({ user }: State): boolean => user.roles?.includes('admin') ?? false;

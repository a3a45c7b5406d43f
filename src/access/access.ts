import { forbidden, unauthenticated } from '../errors/domain-error.ts';

/** The user that a verified bearer token names. */
export interface User {
  readonly id: string;
  readonly professionalId: string | undefined;
  readonly officeId: string | undefined;
  readonly isAdmin: boolean;
  /** May read the history, without personal data. */
  readonly isAnalyst: boolean;
}

/** The calling application, by its API key, and mostly a user with it. */
export interface Caller {
  readonly key: { readonly name: string; readonly scope: ApiKeyScope };
  readonly user: User | undefined;
  /** When the user's token expires, in milliseconds since 1970; left out where it never does. */
  readonly expiresAt?: number | undefined;
  /** Aborted when the user signs out before; left out where nobody can. */
  readonly signedOut?: AbortSignal | undefined;
}
export const apiKeyScopes = ['client', 'internal'] as const;
export type ApiKeyScope = (typeof apiKeyScopes)[number];

/** Which callers may run an operation, and the principal it gets. */
export interface AccessPolicy<Principal> {
  readonly scope: ApiKeyScope;
  /** For the documentation. */
  readonly who: string;
  /** @throws DomainError unauthenticated without a user, forbidden for a caller not allowed */
  authorize(caller: Caller): Principal;
}

/** The caller's name in events and read models. */
export const actorOf = ({ key, user }: Caller): string => user?.id ?? `key:${key.name}`;

const requireUser = ({ user }: Caller): User => {
  if (!user) throw unauthenticated('The header Authorization must carry a bearer token');
  return user;
};

export const anyUserAccess: AccessPolicy<User> = { scope: 'client', who: 'a user', authorize: requireUser };

export const professionalAccess: AccessPolicy<User & { readonly professionalId: string }> = {
  scope: 'client',
  who: 'a user with a professional_id',
  authorize(caller) {
    const user = requireUser(caller);
    if (user.professionalId === undefined) throw forbidden('The token names no professional_id');
    return { ...user, professionalId: user.professionalId };
  },
};

/** @param refusal the message for users that are not allowed */
const userAccess = (who: string, isAllowed: (user: User) => boolean, refusal: string): AccessPolicy<User> => ({
  scope: 'client',
  who,
  authorize(caller) {
    const user = requireUser(caller);
    if (!isAllowed(user)) throw forbidden(refusal);
    return user;
  },
});

export const officeOrAdminAccess = userAccess(
  'a user with an office_id, or an administrator',
  ({ officeId, isAdmin }) => officeId !== undefined || isAdmin,
  'The token names no office_id and no role admin',
);

export const adminAccess = userAccess('an administrator', ({ isAdmin }) => isAdmin, 'The token names no role admin');

export const analystAccess = userAccess(
  'an analyst or an administrator',
  ({ isAnalyst, isAdmin }) => isAnalyst || isAdmin,
  'The token names no role analyst or admin',
);

export const internalAccess: AccessPolicy<undefined> = {
  scope: 'internal',
  who: 'an application with an API key of scope internal',
  authorize: () => undefined,
};

/** Of what belongs to an API key; the principal is the key's name. */
export const internalKeyAccess: AccessPolicy<string> = { ...internalAccess, authorize: ({ key }) => key.name };

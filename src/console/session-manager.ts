import { setMaxListeners } from 'node:events';
import type { Caller } from '../access/access.ts';
import { createBoundedCache } from '../lib/bounded-cache.ts';
import { newUuid } from '../lib/uuid.ts';
import { nullable, object, Identifier } from '../schema/schema.ts';
import { Type, type Static } from '../schema/typebox.ts';
import { createSeal, MAX_SEALED_LENGTH } from './seal.ts';

/** The console's API key, for limits and idempotency keys. */
const KEY = { name: 'console', scope: 'client' } as const;

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const LONGEST_MS = 8 * HOUR_MS;
const IDLE_MS = HOUR_MS;
/** The issuer is asked for the roles again. */
const ROLES_MS = HOUR_MS;
/** The cookie is not renewed more often than this while it is used: each is a header that the browser stores. */
const RENEWED_AFTER_MS = 5 * MINUTE_MS;
/** A refresh token works once: concurrent requests with the old cookie share one refresh. */
const ASKED_MS = 5 * MINUTE_MS;
/** More operators than are signed in at a time. */
const MAX_KNOWN = 10_000;

const ConsoleUser = object({ id: Identifier, isAdmin: Type.Boolean(), isAnalyst: Type.Boolean() });
type ConsoleUser = Static<typeof ConsoleUser>;

/** A token with which the issuer can be asked for the roles again. */
const Grant = object({ kind: Type.Enum(['refresh', 'access']), token: Type.String() });
type Grant = Static<typeof Grant>;

/** What the issuer tells of a user; without a grant it cannot be asked again. */
export interface ConsoleIdentity {
  readonly user: ConsoleUser;
  readonly grant: Grant | null;
}

/** Times are in milliseconds since 1970. */
const Session = object({
  id: Type.String(),
  user: ConsoleUser,
  grant: nullable(Grant),
  startedAt: Type.Number(),
  toldAt: Type.Number(),
  usedAt: Type.Number(),
});
export type Session = Readonly<Static<typeof Session>>;

/** When a session ends unless it is used. */
export const sessionExpiryOf = ({ startedAt, usedAt }: Session): number =>
  Math.min(startedAt + LONGEST_MS, usedAt + IDLE_MS);

interface SessionOptions {
  readonly secret: string;
  /** Asks the issuer for a user's roles again; undefined where they do not allow the console any more. */
  readonly refresh: (identity: ConsoleIdentity) => Promise<ConsoleIdentity | undefined>;
  readonly now?: () => number;
}

/**
 * Sessions of the console. Each is in its cookie alone, so that any instance can serve it and a restart ends none; this
 * process notes those that ended before their time.
 */
export const createSessionManager = ({ secret, refresh, now = () => Date.now() }: SessionOptions) => {
  const seal = createSeal(secret, 'session', Session, now);
  const ends = createBoundedCache<AbortController>(MAX_KNOWN);
  const refreshing = createBoundedCache<Promise<ConsoleIdentity | undefined>>(MAX_KNOWN);

  const endingOf = ({ id }: Session): AbortController => {
    const known = ends.get(id);
    if (known) return known;
    const controller = new AbortController();
    // Each stream of the session listens.
    setMaxListeners(0, controller.signal);
    ends.set(id, controller, { ttl: LONGEST_MS });
    return controller;
  };
  const end = (session: Session): void => endingOf(session).abort();

  /** Once for all requests that come with the same cookie. */
  const refreshOnce = (session: Session): Promise<ConsoleIdentity | undefined> => {
    const key = `${session.id} ${session.toldAt}`;
    const answer = refreshing.get(key) ?? refresh(session);
    refreshing.set(key, answer, { ttl: ASKED_MS });
    return answer;
  };

  return {
    begin(identity: ConsoleIdentity): Session {
      const at = now();
      return { id: newUuid(), ...identity, startedAt: at, toldAt: at, usedAt: at };
    },

    /** The text of its cookie. What makes it too long is left out: the session then ends when roles are asked again. */
    async seal(session: Session): Promise<string> {
      const text = await seal.seal(session, sessionExpiryOf(session));
      if (text.length <= MAX_SEALED_LENGTH) return text;
      return seal.seal({ ...session, grant: null }, sessionExpiryOf(session));
    },

    /**
     * The session of a cookie, with roles that are at most an hour old; undefined where it has ended. A changed one
     * must be set as the cookie even if its request fails: the old refresh token may no longer work.
     */
    async find(text: string): Promise<{ session: Session; isChanged: boolean } | undefined> {
      const session = await seal.open(text);
      if (!session || endingOf(session).signal.aborted) return undefined;
      if (now() < session.toldAt + ROLES_MS) return { session, isChanged: false };
      const identity = await refreshOnce(session);
      if (identity) return { session: { ...session, ...identity, toldAt: now() }, isChanged: true };
      end(session);
      return undefined;
    },

    /** The session, noted as used now; the same object where that was noted lately. */
    used: (session: Session): Session =>
      now() < session.usedAt + RENEWED_AFTER_MS ? session : { ...session, usedAt: now() },

    /** Ends a session in this process, with its streams. */
    end,

    /** Whom its requests act as. Streams also end when the roles are due to be asked again. */
    callerOf: (session: Session): Caller => ({
      key: KEY,
      user: { ...session.user, professionalId: undefined, officeId: undefined },
      expiresAt: Math.min(sessionExpiryOf(session), session.toldAt + ROLES_MS),
      signedOut: endingOf(session).signal,
    }),
  };
};
export type SessionManager = ReturnType<typeof createSessionManager>;

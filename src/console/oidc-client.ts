import type * as OpenId from 'openid-client';
import { isLoopbackHost } from '../lib/ip-address.ts';
import { onceUnlessFailed } from '../lib/once-unless-failed.ts';
import { Identifier, nullable, object } from '../schema/schema.ts';
import { Type, type Static } from '../schema/typebox.ts';
import { createValidator } from '../schema/validation.ts';
import type { ConsoleIdentity } from './session-manager.ts';
import type { OidcSettings } from './settings.ts';

/** What a sign-in is known by when the issuer leads back. */
export const SignInAttempt = object({
  state: Type.String(),
  nonce: Type.String(),
  verifier: Type.String(),
  /** The hash route to come back to. */
  view: Type.String(),
});
export type SignInAttempt = Readonly<Static<typeof SignInAttempt>>;

const TIMEOUT_SECONDS = 10;
const OFFLINE = 'offline_access';

const checkId = createValidator(Identifier, 'sub');
const checkRoles = createValidator(nullable(Type.Array(Type.String())), 'roles');

/** A failure without what the issuer and the browser sent, which may be secret. */
export const loggableReasonOf = (error: unknown): string => {
  if (!(error instanceof Error)) return 'unknown';
  const { message, cause } = error;
  const word = 'error' in error && typeof error.error === 'string' ? ` (${error.error})` : '';
  return `${message}${word}${cause instanceof Error ? `: ${loggableReasonOf(cause)}` : ''}`;
};

/**
 * The issuer, by OpenID Connect: the code flow with PKCE. Its package is loaded, and the issuer asked where its
 * endpoints are, for the first one who signs in.
 */
export const createOidcClient = ({ url, issuer, clientId, clientSecret, rolesClaim }: OidcSettings) => {
  const reach = onceUnlessFailed(async () => {
    const openId = await import('openid-client');
    const byBody = openId.ClientSecretPost(clientSecret);
    const byHeader = openId.ClientSecretBasic(clientSecret);
    // By the header, which every issuer must take, unless it says that it does not (Discovery 1.0, 3).
    const authenticate: OpenId.ClientAuth = (server, ...rest) => {
      const methods = server.token_endpoint_auth_methods_supported ?? ['client_secret_basic'];
      const put = methods.includes('client_secret_basic') ? byHeader : byBody;
      put(server, ...rest);
    };
    // eslint-disable-next-line @typescript-eslint/no-deprecated -- only to stand out; for an issuer on this machine
    const plaintext = isLoopbackHost(issuer.hostname) ? [openId.allowInsecureRequests] : [];
    const options = { execute: plaintext, timeout: TIMEOUT_SECONDS };
    return { openId, config: await openId.discovery(issuer, clientId, undefined, authenticate, options) };
  });

  const userIn = (claims: Readonly<Record<string, unknown>>): ConsoleIdentity['user'] => {
    const id = checkId(claims['sub']);
    const roles = checkRoles((Object.hasOwn(claims, rolesClaim) ? claims[rolesClaim] : null) ?? null);
    if (!id.ok) throw new Error(id.message);
    if (!roles.ok) throw new Error(roles.message);
    const has = (role: string) => roles.value?.includes(role) === true;
    return { id: id.value, isAdmin: has('admin'), isAnalyst: has('analyst') };
  };

  type Tokens = OpenId.TokenEndpointResponse & OpenId.TokenEndpointResponseHelpers;

  /** Roles stand in the id token, or else in what the issuer tells of the user. */
  const identityIn = async (tokens: Tokens, sub: string): Promise<ConsoleIdentity> => {
    const { openId, config } = await reach();
    const { access_token: access, refresh_token: refresh } = tokens;
    const claims = tokens.claims();
    if (claims && claims.sub !== sub) throw new Error('The id token is of another user');
    const isInToken = claims && Object.hasOwn(claims, rolesClaim);
    const user = userIn(isInToken ? claims : await openId.fetchUserInfo(config, access, sub));
    return {
      user,
      grant: refresh === undefined ? { kind: 'access', token: access } : { kind: 'refresh', token: refresh },
    };
  };

  return {
    /** Where the browser goes to sign in. */
    async begin(view: string): Promise<{ readonly attempt: SignInAttempt; readonly address: URL }> {
      const { openId, config } = await reach();
      const { randomState, randomNonce, randomPKCECodeVerifier, calculatePKCECodeChallenge } = openId;
      const attempt = { state: randomState(), nonce: randomNonce(), verifier: randomPKCECodeVerifier(), view };
      const canRefresh = config.serverMetadata().scopes_supported?.includes(OFFLINE) === true;
      const address = openId.buildAuthorizationUrl(config, {
        redirect_uri: `${url.href}/callback`,
        scope: canRefresh ? `openid ${OFFLINE}` : 'openid',
        state: attempt.state,
        nonce: attempt.nonce,
        code_challenge: await calculatePKCECodeChallenge(attempt.verifier),
        code_challenge_method: 'S256',
      });
      return { attempt, address };
    },

    /** Exchanges the code that the issuer gave. @param query of the address that the browser came back to */
    async finish({ state, nonce, verifier }: SignInAttempt, query: string): Promise<ConsoleIdentity> {
      const { openId, config } = await reach();
      const tokens = await openId.authorizationCodeGrant(config, new URL(`${url.href}/callback?${query}`), {
        expectedState: state,
        expectedNonce: nonce,
        pkceCodeVerifier: verifier,
        idTokenExpected: true,
      });
      return identityIn(tokens, String(tokens.claims()?.sub));
    },

    /** Asks for a user's roles again. */
    async refresh({ user, grant }: ConsoleIdentity): Promise<ConsoleIdentity> {
      const { openId, config } = await reach();
      if (!grant) throw new Error('The issuer gave nothing to ask it again with, or what is too long for a cookie');
      if (grant.kind === 'access')
        return { user: userIn(await openId.fetchUserInfo(config, grant.token, user.id)), grant };
      const identity = await identityIn(await openId.refreshTokenGrant(config, grant.token), user.id);
      return { user: identity.user, grant: identity.grant?.kind === 'refresh' ? identity.grant : grant };
    },
  };
};
export type OidcClient = ReturnType<typeof createOidcClient>;

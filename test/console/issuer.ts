import { once } from 'node:events';
import { createServer, request as httpRequest, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair } from 'jose';
import { Provider, type Adapter, type AdapterPayload } from 'oidc-provider';
import { isObject } from '../../src/schema/json.ts';

const listening = async (server: Server): Promise<string> => {
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo; // It listens on TCP.
  return `http://127.0.0.1:${port}`;
};
const close = async (server: Server): Promise<void> => {
  server.closeAllConnections();
  await once(server.close(), 'close');
};

/** A proxy that serves a service under a path; what it leads to is set once that listens. */
export const startPathProxy = async (path: string) => {
  const to = { url: '' };
  const server = createServer((incoming, outgoing) => {
    const { method, headers, url = '' } = incoming;
    const asked = httpRequest(to.url + url.slice(path.length), { method, headers, agent: false }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(outgoing);
      answer.once('error', () => outgoing.destroy());
    });
    asked.once('error', () => outgoing.destroy());
    outgoing.once('close', () => asked.destroy());
    incoming.pipe(asked);
  });
  return { url: (await listening(server)) + path, to, close: () => close(server) };
};

export const clientId = 'hiring-console';
export const clientSecret = 'secret-of-the-client-at-the-issuer';

export interface IssuerOptions {
  readonly redirectUri: string;
  /** Otherwise userinfo alone tells them. */
  readonly hasRolesInToken?: boolean;
  readonly hasRefreshTokens?: boolean;
}

/** What an issuer keeps, until the test is over; its own store in memory warns that it is one. */
class Store implements Adapter {
  readonly #kept = new Map<string, AdapterPayload>();
  readonly #uids = new Map<string, string>();

  upsert(id: string, payload: AdapterPayload): Promise<void> {
    this.#kept.set(id, payload);
    if (payload.uid !== undefined) this.#uids.set(payload.uid, id);
    return Promise.resolve();
  }
  find = (id: string) => Promise.resolve(this.#kept.get(id));
  findByUid = (uid: string) => this.find(this.#uids.get(uid) ?? '');
  findByUserCode = () => Promise.resolve(undefined);
  consume(id: string): Promise<void> {
    const payload = this.#kept.get(id);
    if (payload) payload.consumed = Math.floor(Date.now() / 1_000);
    return Promise.resolve();
  }
  destroy(id: string): Promise<void> {
    this.#kept.delete(id);
    return Promise.resolve();
  }
  revokeByGrantId(grantId: string): Promise<void> {
    for (const [id, payload] of this.#kept) if (payload.grantId === grantId) this.#kept.delete(id);
    return Promise.resolve();
  }
}

/** An issuer on this machine. Who comes to it is signed in at once, as the user that the test has set. */
export const startIssuer = async ({ redirectUri, hasRolesInToken = false, hasRefreshTokens = true }: IssuerOptions) => {
  const user = { id: 'user-ada', roles: ['admin'] as readonly string[] | undefined };
  const secrets = new Set<string>();
  let asked = 0;
  const server = createServer();
  const url = await listening(server);
  const { privateKey } = await generateKeyPair('RS256', { extractable: true });
  const provider = new Provider(url, {
    adapter: Store,
    jwks: { keys: [{ ...(await exportJWK(privateKey)), alg: 'RS256', use: 'sig' }] },
    cookies: { keys: ['of the issuer'] },
    clients: [
      {
        client_id: clientId,
        client_secret: clientSecret,
        redirect_uris: [redirectUri],
        grant_types: ['authorization_code', 'refresh_token'],
      },
    ],
    claims: { openid: ['sub', 'roles'] },
    conformIdTokenClaims: !hasRolesInToken,
    findAccount: (_context, id) => ({
      accountId: id,
      claims: () => ({ sub: id, ...(user.roles && { roles: user.roles }) }),
    }),
    interactions: { url: (_context, { uid }) => `/interaction/${uid}` },
    features: { devInteractions: { enabled: false } },
    issueRefreshToken: () => hasRefreshTokens,
    rotateRefreshToken: true,
    // Nobody need consent.
    async loadExistingGrant({ oidc }) {
      const { provider: own, account, client } = oidc;
      const grant = new own.Grant({
        ...(account && { accountId: account.accountId }),
        ...(client && { clientId: client.clientId }),
      });
      grant.addOIDCScope('openid offline_access');
      await grant.save();
      return grant;
    },
    ttl: {
      AccessToken: 7_200,
      Grant: 86_400,
      IdToken: 3_600,
      Interaction: 3_600,
      RefreshToken: 86_400,
      Session: 86_400,
    },
  });
  provider.use(async (context, next) => {
    await next();
    if (context.path !== '/token' && context.path !== '/me') return;
    asked += 1;
    for (const [name, value] of Object.entries(isObject(context.body) ? context.body : {}))
      if (name.endsWith('_token')) secrets.add(String(value));
  });
  server.on('request', (request, response) => {
    if (!request.url?.startsWith('/interaction/')) {
      void provider.callback()(request, response);
      return;
    }
    provider
      .interactionFinished(request, response, { login: { accountId: user.id } })
      .catch((error: unknown) => response.writeHead(500).end(String(error)));
  });
  return {
    url,
    user,
    /** All tokens that it gave. */
    tokens: secrets as ReadonlySet<string>,
    /** How often it was asked for tokens or for what it knows of a user. */
    asked: () => asked,
    close: () => close(server),
  };
};
export type TestIssuer = Awaited<ReturnType<typeof startIssuer>>;

import { once } from 'node:events';
import { connect } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { errors } from 'jose';
import type { Config } from '../../config/config.ts';
import { checkKeySet } from '../../http/tokens.ts';
import { StoreUnavailableError } from '../../errors/store-unavailable.ts';
import { LogUnavailableError } from '../../event-store/port.ts';
import { failureName } from '../../ports/failure-name.ts';
import { badFinding, runAsFindings, wellFinding, type Finding } from './finding.ts';

const CONNECT_MS = 5_000;

/** The default ports of schemes; for mail and stores, those of the libraries that connect to them. */
const PORTS: Readonly<Record<string, number>> = {
  'http:': 80,
  'https:': 443,
  'smtp:': 587,
  'smtps:': 465,
  'esdb:': 2113,
  'mongodb:': 27_017,
};

/** Opens a connection, with TLS where the scheme has it, and sends nothing. */
const tryConnecting = async ({ protocol, hostname, port }: URL): Promise<true> => {
  const host = hostname.replace(/^\[|\]$/g, '');
  const to = { host, port: Number(port) || PORTS[protocol] || 0 };
  const isEncrypted = protocol.endsWith('s:');
  const socket = isEncrypted ? connectTls(to) : connect(to);
  socket.setTimeout(CONNECT_MS, () => socket.destroy(Object.assign(new Error(), { code: 'ETIMEDOUT' })));
  try {
    await once(socket, isEncrypted ? 'secureConnect' : 'connect');
    return true;
  } finally {
    socket.destroy();
  }
};

/**
 * Gives a function that finds out what helps where a server does not answer: whether one of the hosts of its connection
 * string takes connections. Other errors say themselves what is wrong.
 */
export const createServerHelpFinder =
  (variable: string, connectionString: string) =>
  async (error: unknown): Promise<string | undefined> => {
    if (!(error instanceof StoreUnavailableError || error instanceof LogUnavailableError)) return undefined;
    const [, scheme = '', hosts = ''] = /^([^/]*)\/\/(?:[^@/]*@)?([^/?]+)/.exec(connectionString) ?? [];
    for (const host of hosts.split(',')) {
      const url = URL.canParse(`${scheme}//${host}`) ? new URL(`${scheme}//${host}`) : undefined;
      const isOpen = url && (await tryConnecting(url).catch(() => false));
      if (isOpen) return `${host} takes connections: is that server stopped (ps), or does it hang?`;
    }
    return `does a server run at ${variable}, ${hosts}?`;
  };

/** Fixed words, without the URL. */
const reasonOf = (error: unknown): string => (error instanceof errors.JOSEError ? error.message : failureName(error));

/** Names only the host of the URL: its path and query may hold a token. */
const lookAt = (
  variable: string,
  url: URL,
  attempt: (url: URL) => Promise<unknown>,
  untilThen: string,
): Promise<readonly Finding[]> =>
  runAsFindings(variable, async () => {
    try {
      await attempt(url);
      return wellFinding(variable, `${url.host} answers`);
    } catch (error) {
      const help = `is ${variable} right, and may this machine connect there (curl -v, openssl s_client)?`;
      const text = `${url.host} does not answer as it should: ${reasonOf(error)}`;
      return badFinding(variable, text, `${help} ${untilThen}`);
    }
  });

const NO_TOKENS = 'It must answer with a key set, and until then no bearer token is accepted';
const NO_CODES = 'Until then no code is sent that way';
const ESTIMATES = 'Until then distances are estimates';

/** Whether the key set, the mail server, the SMS webhook and the road router can be reached from here. */
export const diagnoseExternalServices = async ({
  tokens,
  mail,
  sms,
  roads,
}: Pick<Config, 'tokens' | 'mail' | 'sms' | 'roads'>): Promise<readonly Finding[]> => {
  const found = await Promise.all([
    tokens.kind === 'jwks' ? lookAt('JWKS_URL', tokens.url, checkKeySet, NO_TOKENS) : [],
    mail.kind === 'smtp' ? lookAt('SMTP_URL', mail.url, tryConnecting, NO_CODES) : [],
    sms.kind === 'webhook' ? lookAt('SMS_WEBHOOK_URL', sms.url, tryConnecting, NO_CODES) : [],
    roads.kind === 'osrm' ? lookAt('ROAD_ROUTER_URL', roads.url, tryConnecting, ESTIMATES) : [],
  ]);
  return found.flat();
};

import { SignJWT } from 'jose';
import { DEFAULT_CLAIM_NAMES, type TokenSettings } from '../http/tokens.ts';
import { omitUndefined } from '../lib/omit-undefined.ts';
import { loadExistingLogTokenConfig } from './parts/event-file.ts';
import { CliError } from './parts/cli-error.ts';
import { createCheckedCliAudit } from './parts/known-log.ts';
import type { Terminal } from './parts/terminal.ts';
import { print } from './parts/print.ts';

export interface TokenClaims {
  readonly sub: string;
  readonly professional_id?: string | undefined;
  readonly office_id?: string | undefined;
  readonly roles?: readonly string[] | undefined;
}

type OwnTokens = Extract<TokenSettings, { kind: 'secret' }>;

/** @throws CliError for tokens that only another signs */
const ownOf = (settings: TokenSettings): OwnTokens => {
  if (settings.kind === 'secret') return settings;
  throw new CliError('JWKS_URL is set: only its owner can sign tokens; allowed: JWT_SECRET instead');
};

/** Signs a bearer token with the configured secret (HS256); its claims have the configured names. */
export const signToken = async (
  settings: TokenSettings,
  { sub, professional_id, office_id, roles }: TokenClaims,
  hours: number,
): Promise<string> => {
  const { secret, issuer, audience, claims = DEFAULT_CLAIM_NAMES } = ownOf(settings);
  const named = { [claims.professional]: professional_id, [claims.office]: office_id, [claims.roles]: roles };
  const jwt = new SignJWT({ sub, ...named })
    .setProtectedHeader({ alg: 'HS256', typ: 'JWT' })
    .setIssuedAt()
    .setExpirationTime(`${hours}h`);
  if (issuer !== undefined) jwt.setIssuer(issuer);
  if (audience !== undefined) jwt.setAudience(audience);
  return jwt.sign(new TextEncoder().encode(secret));
};

export interface TokenOptions {
  readonly user: string;
  readonly professional?: string;
  readonly office?: string;
  readonly admin?: true;
  readonly analyst?: true;
  readonly hours: number;
}

/** `hiring token`: prints one bearer token. Its claims are recorded, and who asked for it. */
export const printToken = async (
  terminal: Terminal,
  { user, professional, office, admin, analyst, hours }: TokenOptions,
): Promise<void> => {
  const config = loadExistingLogTokenConfig(terminal);
  const { tokens } = config;
  // Refused before anything is recorded.
  ownOf(tokens);
  const roles = [...(admin ? ['admin'] : []), ...(analyst ? ['analyst'] : [])];
  const held = omitUndefined({
    professional_id: professional,
    office_id: office,
    roles: roles.length > 0 ? roles : undefined,
  });
  const operation = { operation: 'token', parameters: { user, ...held, hours } } as const;
  const signed = await createCheckedCliAudit(config)(operation, () => signToken(tokens, { sub: user, ...held }, hours));
  print(terminal.stdout, signed);
};

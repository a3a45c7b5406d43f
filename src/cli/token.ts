import { SignJWT } from 'jose';
import type { TokenSettings } from '../http/tokens.ts';
import { CliError } from './parts/cli-error.ts';
import { configOf, type Terminal } from './parts/terminal.ts';

/** The user of a token. */
export interface TokenClaims {
  readonly sub: string;
  readonly professional_id?: string | undefined;
  readonly office_id?: string | undefined;
  readonly roles?: readonly string[] | undefined;
}

/** Signs a bearer token with the configured secret (HS256). */
export const signToken = async (
  settings: TokenSettings,
  claims: TokenClaims,
  hours: number,
): Promise<string> => {
  if (settings.kind === 'jwks')
    throw new CliError('JWKS_URL is set: only its owner can sign tokens; allowed: JWT_SECRET instead');
  const jwt = new SignJWT({ ...claims, ...(claims.roles ? { roles: [...claims.roles] } : {}) })
    .setProtectedHeader({ alg: 'HS256', typ: 'JWT' })
    .setIssuedAt()
    .setExpirationTime(`${hours}h`);
  if (settings.issuer !== undefined) jwt.setIssuer(settings.issuer);
  if (settings.audience !== undefined) jwt.setAudience(settings.audience);
  return jwt.sign(new TextEncoder().encode(settings.secret));
};

export interface TokenOptions {
  readonly user: string;
  readonly professional?: string;
  readonly office?: string;
  readonly admin?: true;
  readonly hours: number;
}

/** `hiring token`: prints one bearer token. */
export const token = async (
  terminal: Terminal,
  { user, professional, office, admin, hours }: TokenOptions,
): Promise<void> => {
  const { tokens } = configOf(terminal);
  const claims = {
    sub: user,
    ...(professional === undefined ? {} : { professional_id: professional }),
    ...(office === undefined ? {} : { office_id: office }),
    ...(admin ? { roles: ['admin'] } : {}),
  };
  terminal.stdout.write(`${await signToken(tokens, claims, hours)}\n`);
};

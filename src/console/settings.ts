type ConsoleMode = 'on' | 'read-only';

/** How operators sign in to the console: in the demo by a click, else by OpenID Connect. */
export type ConsoleSettings = {
  readonly mode: ConsoleMode;
  /** What the keys of its cookies are derived from. */
  readonly sessionSecret: string;
} & ({ readonly kind: 'demo' } | ({ readonly kind: 'oidc' } & OidcSettings));

export interface OidcSettings {
  /** Where the console is for browsers, which ends in `/console`: proxies may serve it under a path. */
  readonly url: URL;
  readonly issuer: URL;
  readonly clientId: string;
  readonly clientSecret: string;
  /** The claim with the roles, by its whole name. */
  readonly rolesClaim: string;
}

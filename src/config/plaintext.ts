import { isLoopbackHost } from '../lib/ip-address.ts';
import { isProduction, type VariableReader } from './values.ts';

/** How a server is reached, as its URL says. */
export interface ConnectionTarget {
  /** As in the URL, with or without a port. */
  readonly hosts: readonly string[];
  /** By TLS, with a certificate that is checked. */
  readonly isEncrypted: boolean;
}

/** The path of a socket is percent-encoded in a URL. */
const isThisMachine = (host: string): boolean => isLoopbackHost(host.replace(/:\d+$/, '')) || /^%2F/i.test(host);

/**
 * Refuses a server on another machine that is reached without TLS, in production, unless ALLOW_PLAINTEXT is true.
 *
 * @param encrypted how the URL asks for TLS
 */
export const refusePlaintext = (
  variables: VariableReader,
  name: string,
  { hosts, isEncrypted }: ConnectionTarget,
  encrypted: string,
): void => {
  if (isEncrypted || hosts.every(isThisMachine)) return;
  if (!isProduction(variables) || variables.get('ALLOW_PLAINTEXT') === 'true') return;
  variables.refuse(
    name,
    'reaches another machine without TLS, or without checking its certificate',
    `in production ${encrypted}, a loopback address, or ALLOW_PLAINTEXT=true`,
  );
};

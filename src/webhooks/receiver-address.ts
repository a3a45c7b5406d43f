import { isInAnyBlock, parseIpAddress, parseCidrBlock, type CidrBlock } from '../lib/ip-address.ts';

/** Which addresses webhooks may be sent to, beside public ones. */
export interface AllowedAddresses {
  /** WEBHOOK_ALLOWED_NETWORKS */
  readonly networks: readonly CidrBlock[];
  /** In the demo: this machine, and without TLS. */
  readonly isLoopbackAllowed: boolean;
}

const blocksOf = (texts: readonly string[]): readonly CidrBlock[] =>
  texts.flatMap((text) => {
    const block = parseCidrBlock(text);
    return block ? [block] : [];
  });

/**
 * Whatever is allowed: link-local addresses, and those at which clouds tell a machine its credentials (AWS and most
 * others within link-local, AWS and Google by IPv6, Alibaba, Azure, Oracle).
 */
const NEVER_ALLOWED_BLOCKS = blocksOf([
  '169.254.0.0/16',
  'fe80::/10',
  'fd00:ec2::/32',
  'fd20:ce::254',
  '100.100.100.200',
  '168.63.129.16',
  '192.0.0.192',
]);
/** All of IPv4, and what IANA gives out of IPv6 (RFC 4291, 2.4). */
const PUBLIC_BLOCKS = blocksOf(['0.0.0.0/0', '2000::/3']);

/** Whether a webhook may be sent to an IP address. Of IPv6 only plain addresses: others can stand for any of IPv4. */
export const isAllowedAddress = (text: string, { networks, isLoopbackAllowed }: AllowedAddresses): boolean => {
  const address = parseIpAddress(text);
  if (!address || isInAnyBlock(address, NEVER_ALLOWED_BLOCKS)) return false;
  const range = address.range();
  if (range === 'unicast' && isInAnyBlock(address, PUBLIC_BLOCKS)) return true;
  return (range === 'loopback' && isLoopbackAllowed) || isInAnyBlock(address, networks);
};

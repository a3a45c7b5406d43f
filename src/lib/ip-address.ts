import ipaddr from 'ipaddr.js';

export type IpAddress = ipaddr.IPv4 | ipaddr.IPv6;
/** An address and the number of its leading bits that count. */
export type CidrBlock = [IpAddress, number];

/** Reads an IP address; IPv4 within IPv6 is IPv4. Undefined for any other text. */
export const parseIpAddress = (text: string): IpAddress | undefined =>
  ipaddr.IPv4.isValidFourPartDecimal(text) || ipaddr.IPv6.isValid(text) ? ipaddr.process(text) : undefined;

/** Reads an IP address or a CIDR block (RFC 4632, 3.1). Undefined for any other text. */
export const parseCidrBlock = (text: string): CidrBlock | undefined => {
  const [, base = '', bits] = /^([^/]+)(?:\/(\d{1,3}))?$/.exec(text) ?? [];
  const address = parseIpAddress(base);
  if (!address) return undefined;
  const most = address.kind() === 'ipv4' ? 32 : 128;
  const wanted = bits === undefined ? most : Number(bits);
  return wanted <= most ? [address, wanted] : undefined;
};

export const isInAnyBlock = (address: IpAddress, blocks: readonly CidrBlock[]): boolean =>
  ipaddr.subnetMatch(address, { found: [...blocks] }, '') === 'found';

export const isLoopback = (address: IpAddress | undefined): boolean => address?.range() === 'loopback';

/** Whether a host is this machine whatever a name server says: a loopback address, or `localhost` (RFC 6761, 6.3). */
export const isLoopbackHost = (host: string): boolean =>
  host.toLowerCase() === 'localhost' || isLoopback(parseIpAddress(host.replace(/^\[(.*)\]$/, '$1')));

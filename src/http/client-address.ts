import type { IncomingMessage } from 'node:http';
import ipaddr from 'ipaddr.js';

type Address = ipaddr.IPv4 | ipaddr.IPv6;

/** Finds the address that a request comes from; undefined where its connection has ended already. */
export type FindAddress = (request: IncomingMessage) => Address | undefined;

/** An address without the port that some proxies add; IPv4 within IPv6 is IPv4. */
const parse = (text: string): Address | undefined => {
  const [, inBrackets] = /^\[([^\]]*)\](?::\d+)?$/.exec(text) ?? [];
  const bare = inBrackets ?? text.replace(/^(\d+(?:\.\d+){3}):\d+$/, '$1');
  const isAddress = ipaddr.IPv4.isValidFourPartDecimal(bare) || ipaddr.IPv6.isValid(bare);
  return isAddress ? ipaddr.process(bare) : undefined;
};

type Block = [Address, number];

const parseBlock = (text: string): Block | undefined => {
  const [, base = '', bits] = /^([^/]+)(?:\/(\d{1,3}))?$/.exec(text) ?? [];
  const address = parse(base);
  if (!address) return undefined;
  const most = address.kind() === 'ipv4' ? 32 : 128;
  const wanted = bits === undefined ? most : Number(bits);
  return wanted <= most ? [address, wanted] : undefined;
};

/** Whether a text is an address or a CIDR block (RFC 4632, 3.1). */
export const isAddressBlock = (text: string): boolean => parseBlock(text) !== undefined;

/**
 * Makes the function that finds a client's address: the socket's, or, where that is a trusted proxy's, the right-most
 * one in `X-Forwarded-For` that is not (decisions, Anonymous callers). What a client claims left of that counts nowhere.
 *
 * @param trustedProxies addresses and CIDR blocks
 * @throws Error for an entry that is neither
 */
export const createAddressFinder = (trustedProxies: readonly string[]): FindAddress => {
  const blocks = trustedProxies.map((text) => {
    const block = parseBlock(text);
    if (!block) throw new Error(`${text} is no address and no CIDR block`);
    return block;
  });
  const isTrusted = (address: Address) => ipaddr.subnetMatch(address, { trusted: blocks }, '') === 'trusted';

  return (request) => {
    let found = parse(request.socket.remoteAddress ?? '');
    if (!found || blocks.length === 0) return found;
    const claimed = String(request.headers['x-forwarded-for'] ?? '').split(',');
    while (isTrusted(found)) {
      const next = parse(claimed.pop()?.trim() ?? '');
      if (!next) break;
      found = next;
    }
    return found;
  };
};

export const isLoopback = (address: Address | undefined): boolean => address?.range() === 'loopback';

/** What a client's requests are counted under: IPv6 hosts choose freely within their /64 (RFC 4291, 2.5.4). */
export const networkOf = (address: Address | undefined): string => {
  if (!address) return 'gone';
  return address.kind() === 'ipv4' ? address.toString() : address.toByteArray().slice(0, 8).join('.');
};

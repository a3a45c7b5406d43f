import type { IncomingMessage } from 'node:http';
import { isWithin, parseAddress, type AddressBlock, type IpAddress } from '../lib/ip-address.ts';

/** Finds the address that a request comes from; undefined where its connection has ended, or a proxy forwards nonsense. */
export type FindAddress = (request: IncomingMessage) => IpAddress | undefined;

/** Some proxies add a port to what they forward. */
const withoutPort = (text: string): string =>
  text.replace(/^\[([^\]]*)\](?::\d+)?$/, '$1').replace(/^(\d+(?:\.\d+){3}):\d+$/, '$1');

/**
 * Makes the function that finds a client's address: the socket's, or, where that is a trusted proxy's, the right-most
 * one in `X-Forwarded-For` that is not (docs/decisions.md, The address of a client). What stands left of that is the
 * client's own claim.
 */
export const createAddressFinder =
  (trustedProxies: readonly AddressBlock[]): FindAddress =>
  (request) => {
    let found = parseAddress(request.socket.remoteAddress ?? '');
    if (trustedProxies.length === 0) return found;
    const forwarded = request.headers['x-forwarded-for'];
    const addresses = forwarded === undefined ? [] : String(forwarded).split(',');
    while (found && addresses.length > 0 && isWithin(found, trustedProxies))
      found = parseAddress(withoutPort(addresses.pop()?.trim() ?? ''));
    return found;
  };

export const isLoopback = (address: IpAddress | undefined): boolean => address?.range() === 'loopback';

/** What a client's requests are counted under: IPv6 hosts choose freely within their /64 (RFC 4291, 2.5.4). */
export const networkOf = (address: IpAddress | undefined): string => {
  if (!address) return 'unknown';
  return address.kind() === 'ipv4' ? address.toString() : address.toByteArray().slice(0, 8).join('.');
};

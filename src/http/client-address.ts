import type { IncomingMessage } from 'node:http';
import { isWithin, parseAddress, type AddressBlock, type IpAddress } from '../lib/ip-address.ts';

/** Finds a request's address; undefined when the connection has ended or a proxy forwards no valid one. */
export type FindAddress = (request: IncomingMessage) => IpAddress | undefined;

/** Some proxies add a port to the address. */
const withoutPort = (text: string): string =>
  text.replace(/^\[([^\]]*)\](?::\d+)?$/, '$1').replace(/^(\d+(?:\.\d+){3}):\d+$/, '$1');

/**
 * Makes the function that finds a client's address: the socket's, or behind trusted proxies the right-most in
 * `X-Forwarded-For` that is not a trusted proxy's (docs/decisions.md, The address of a client). A client can forge
 * those left of it.
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

/** What requests are counted under: an IPv6 host chooses freely within its /64 (RFC 4291, 2.5.4). */
export const networkOf = (address: IpAddress | undefined): string => {
  if (!address) return 'unknown';
  return address.kind() === 'ipv4' ? address.toString() : address.toByteArray().slice(0, 8).join('.');
};

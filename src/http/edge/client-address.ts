import type { IncomingMessage } from 'node:http';
import { createBoundedCache } from '../../lib/bounded-cache.ts';
import { isLoopback, isInAnyBlock, parseIpAddress, type CidrBlock, type IpAddress } from '../../lib/ip-address.ts';

/** Finds a request's address; undefined when the connection has ended or a proxy forwards no valid one. */
export type FindClientAddress = (request: IncomingMessage) => IpAddress | undefined;

const MAX_KNOWN = 10_000;
/** A client can send a header of any length. */
const MAX_KNOWN_LENGTH = 200;

/** Some proxies add a port to the address. */
const withoutPort = (text: string): string =>
  text.replace(/^\[([^\]]*)\](?::\d+)?$/, '$1').replace(/^(\d+(?:\.\d+){3}):\d+$/, '$1');

/**
 * Makes the function that finds a client's address: the socket's, or behind trusted proxies the right-most in
 * `X-Forwarded-For` that is not a trusted proxy's (docs/behaviour.md, The address of a client). A client can forge
 * those left of it.
 */
export const createClientAddressFinder = (trustedProxies: readonly CidrBlock[]): FindClientAddress => {
  const find = (remote: string, forwarded: string | undefined): IpAddress | undefined => {
    let found = parseIpAddress(remote);
    const addresses = forwarded?.split(',') ?? [];
    while (found && addresses.length > 0 && isInAnyBlock(found, trustedProxies))
      found = parseIpAddress(withoutPort(addresses.pop()?.trim() ?? ''));
    return found;
  };
  /** By socket address and header. A client's requests share one object, by which others memoize. */
  const known = createBoundedCache<{ readonly address: IpAddress | undefined }>(MAX_KNOWN);
  return ({ socket: { remoteAddress = '' }, headers }) => {
    const forwarded = trustedProxies.length === 0 ? undefined : headers['x-forwarded-for'];
    const text = forwarded === undefined ? undefined : String(forwarded);
    const from = text === undefined ? remoteAddress : `${remoteAddress} ${text}`;
    const found = known.get(from);
    if (found) return found.address;
    const address = find(remoteAddress, text);
    if (from.length <= MAX_KNOWN_LENGTH) known.set(from, { address });
    return address;
  };
};

export type IsLocalClient = (request: IncomingMessage) => boolean;

/** Headers of proxies beside `X-Forwarded-For`. A client cannot remove what its proxy adds. */
const PROXY_HEADERS = ['forwarded', 'via', 'x-real-ip'] as const;

/**
 * Makes the function that tells whether a client is on this machine: its address is a loopback one, and not only that
 * of a proxy before it. Through a proxy on this machine that is not in TRUSTED_PROXIES, or forwards no address, every
 * client of the internet has the proxy's.
 */
export const createLocalClientCheck = (trustedProxies: readonly CidrBlock[]): IsLocalClient => {
  const addressOf = createClientAddressFinder(trustedProxies);
  const isTrusted = (socket: IpAddress | undefined) => socket !== undefined && isInAnyBlock(socket, trustedProxies);
  return (request) => {
    if (!isLoopback(addressOf(request))) return false;
    // The address was found by this header only where a trusted proxy sent it.
    if (request.headers['x-forwarded-for'] !== undefined)
      return isTrusted(parseIpAddress(request.socket.remoteAddress ?? ''));
    return PROXY_HEADERS.every((name) => request.headers[name] === undefined);
  };
};

/** What requests are counted under: an IPv6 host chooses freely within its /64 (RFC 4291, 2.5.4). */
export const networkOf = (address: IpAddress | undefined): string => {
  if (!address) return 'unknown';
  return address.kind() === 'ipv4' ? address.toString() : address.toByteArray().slice(0, 8).join('.');
};

import type { LookupAddress, LookupAllOptions } from 'node:dns';
import { lookup as lookUp } from 'node:dns/promises';
import { request as requestPlain } from 'node:http';
import { request as requestSecure } from 'node:https';
import type { LookupFunction } from 'node:net';
import { failureName } from '../ports/failure-name.ts';
import { parseIpAddress } from '../lib/ip-address.ts';
import { createNextRunCoalescer } from '../lib/next-run-coalescer.ts';
import { isAllowedAddress, type AllowedAddresses } from './receiver-address.ts';

/** The outcome of one try, without a word of the answer itself. */
export interface PostOutcome {
  /** Null where no answer came. */
  readonly status: number | null;
  /** Why no answer came; null where one did. */
  readonly failure: string | null;
  readonly milliseconds: number;
}

type Lookup = (hostname: string, options: LookupAllOptions) => Promise<LookupAddress[]>;

export interface PostOptions {
  readonly allowed: AllowedAddresses;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  /** Left out: the system's. */
  readonly lookup?: Lookup | undefined;
}

/** How much of an answer's body is read, so that a receiver can finish sending it. */
const MAX_ANSWER_BYTES = 16_384;

class AddressRefused extends Error {
  readonly code = 'ADDRESS_NOT_ALLOWED';
}

/** A look-up holds one of Node.js's four threads for such work, so each name is looked up once at a time. */
const lookups = createNextRunCoalescer<LookupAddress[]>();

/** Looks a name up, and gives of its addresses those that are allowed: exactly these are connected to. */
const lookupAllowed =
  (allowed: AllowedAddresses, lookup: Lookup): LookupFunction =>
  (hostname, options, callback) => {
    lookups(hostname, () => lookup(hostname, { ...options, all: true })).then(
      (found) => {
        const some = found.filter(({ address }) => isAllowedAddress(address, allowed));
        const [first] = some;
        if (!first) callback(new AddressRefused(), []);
        else if (options.all === true) callback(null, some);
        else callback(null, first.address, first.family);
      },
      (error: unknown) => callback(error instanceof Error ? error : new Error(String(error)), []),
    );
  };

/** The literal address in a URL, which is connected to without a look-up. */
const literalOf = ({ hostname }: URL): string | undefined => {
  const text = hostname.replace(/^\[(.*)\]$/, '$1');
  return parseIpAddress(text) && text;
};

/**
 * Posts to a receiver: to an allowed address alone, by a connection of its own, without following redirects. Only the
 * status of the answer counts; a little of its body is read, until the time is over. Resolves once the connection is
 * closed, so that a receiver cannot keep ever more of them open.
 */
export const postToReceiver = (
  url: URL,
  headers: Readonly<Record<string, string>>,
  body: string,
  { allowed, timeoutMs, signal, lookup = lookUp }: PostOptions,
): Promise<PostOutcome> =>
  new Promise((resolve) => {
    const began = performance.now();
    const after = (status: number | null, failure: string | null): PostOutcome => ({
      status,
      failure,
      milliseconds: Math.round(performance.now() - began),
    });
    const literal = literalOf(url);
    if (literal !== undefined && !isAllowedAddress(literal, allowed)) {
      resolve(after(null, 'ADDRESS_NOT_ALLOWED'));
      return;
    }
    const late = AbortSignal.timeout(timeoutMs);
    const send = url.protocol === 'https:' ? requestSecure : requestPlain;
    const sent = send(url, {
      method: 'POST',
      headers: { ...headers, 'Content-Length': Buffer.byteLength(body) },
      // Neither a connection that another try has opened, nor a proxy that the environment names.
      agent: false,
      lookup: lookupAllowed(allowed, lookup),
      signal: AbortSignal.any([signal, late]),
    });
    let posted: PostOutcome | undefined;
    sent.on('error', (error) => (posted ??= after(null, late.aborted ? 'TIMEOUT' : failureName(error))));
    sent.on('response', (response) => {
      posted ??= after(response.statusCode ?? null, null);
      let bytes = 0;
      response.on('data', (chunk: Buffer) => {
        bytes += chunk.length;
        if (bytes > MAX_ANSWER_BYTES) response.destroy();
      });
      response.on('error', () => undefined);
    });
    // Where another protocol is answered (101), neither of the two has happened.
    sent.on('close', () => resolve(posted ?? after(null, 'NO_ANSWER')));
    sent.end(body);
  });

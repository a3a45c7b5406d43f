import { request } from 'node:http';
import { apiKeys, claims } from '../support/examples.ts';
import { isObject } from '../../src/schema/json.ts';
import { bearer } from './checked-service.ts';

/** A server-sent event, or a comment. */
export interface FollowedEvent {
  readonly event: string;
  readonly data: Readonly<Record<string, unknown>>;
}

export interface Followed {
  readonly status: number;
  readonly type: string;
  readonly events: readonly FollowedEvent[];
  readonly comments: readonly string[];
  /** Resolves when the service has ended the response; false where the connection was cut instead. */
  readonly ended: Promise<boolean>;
  leave(): void;
}

const parse = (block: string): FollowedEvent => {
  const member = (name: string) => new RegExp(`^${name}: (.*)$`, 'm').exec(block)?.[1] ?? '';
  const data: unknown = JSON.parse(member('data'));
  if (!isObject(data)) throw new Error(`No object in ${block}`);
  return { event: member('event'), data };
};

/** Follows server-sent events as an administrator; resolves with the first bytes of the answer. */
export const follow = async (
  url: string,
  path = '/admin/projections/events',
  user: string = claims.admin.sub,
): Promise<Followed> => {
  const headers = {
    'X-API-Key': apiKeys.client,
    Accept: 'text/event-stream',
    ...(await bearer({ ...claims.admin, sub: user })),
  };
  const events: FollowedEvent[] = [];
  const comments: string[] = [];
  return new Promise((resolve, reject) => {
    const outgoing = request(url + path, { headers, agent: false });
    outgoing.on('response', (response) => {
      let left = '';
      response.setEncoding('utf8').on('data', (text: string) => {
        const blocks = (left + text).split('\n\n');
        left = blocks.pop() ?? '';
        for (const block of blocks)
          if (block.startsWith(':')) comments.push(block);
          else if (block.startsWith('event:')) events.push(parse(block));
      });
      const ended = new Promise<boolean>((end) => {
        response.on('error', () => end(false));
        response.on('close', () => end(response.complete));
      });
      const { statusCode: status = 0 } = response;
      const type = response.headers['content-type'] ?? '';
      resolve({ status, type, events, comments, ended, leave: () => outgoing.destroy() });
    });
    outgoing.on('error', reject);
    outgoing.end();
  });
};

import { createHmac } from 'node:crypto';
import type { Pair } from './request.ts';

/** What the fuzz needs to call as anyone. */
export interface Keys {
  readonly client: string;
  readonly internal: string;
  /** Of HS256. */
  readonly jwtSecret: string;
}

/** Fixed, so that the tokens of a plan do not depend on the time of the run. */
const [LONG_AGO, FAR_OFF] = ['2020-01-01', '2100-01-01'].map((day) => Date.parse(day) / 1_000);

const encoded = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');

/** A token of HS256, whatever its header says. */
const sign = (secret: string, claims: unknown, header: unknown = { alg: 'HS256' }): string => {
  const text = `${encoded(header)}.${encoded(claims)}`;
  return `${text}.${createHmac('sha256', secret).update(text).digest('base64url')}`;
};

/** The headers of callers of every kind. */
export const createCallers = ({ client, internal, jwtSecret }: Keys) => {
  const clientKey: Pair = ['X-API-Key', client];
  const withToken = (token: string): readonly Pair[] => [clientKey, ['Authorization', `Bearer ${token}`]];
  const user = (claims: Readonly<Record<string, unknown>>) => withToken(sign(jwtSecret, { exp: FAR_OFF, ...claims }));
  const admin = { sub: 'user-ada', roles: ['admin'] };
  const wrong: readonly (readonly Pair[])[] = [
    [],
    [clientKey],
    [['X-API-Key', internal]],
    [['X-API-Key', 'unknown']],
    [['X-API-Key', `${client}, ${client}`]],
    [clientKey, ['Authorization', 'Basic YTpi']],
    [clientKey, ['Authorization', 'Bearer']],
    withToken('a.b.c'),
    withToken('x'.repeat(9_000)),
    withToken(sign('another secret, thirty-two bytes or more', { ...admin, exp: FAR_OFF })),
    withToken(`${encoded({ alg: 'none' })}.${encoded({ ...admin, exp: FAR_OFF })}.`),
    withToken(sign(jwtSecret, { ...admin, exp: FAR_OFF }, { alg: 'HS512' })),
    withToken(sign(jwtSecret, { ...admin, exp: FAR_OFF }, { alg: 'HS256', crit: ['b64'], b64: false })),
    withToken(sign(jwtSecret, [])),
    user({ ...admin, exp: LONG_AGO }),
    user({ ...admin, nbf: FAR_OFF }),
    user({ ...admin, exp: 'tomorrow' }),
    user({ roles: ['admin'] }),
    user({ ...admin, sub: '..' }),
    user({ ...admin, sub: 'x'.repeat(129) }),
    user({ ...admin, roles: 'admin' }),
    user({ sub: 'user-0', professional_id: 'a/b' }),
    user({ sub: 'user-0', office_id: { id: 'office-0' } }),
  ];
  return {
    internal: [['X-API-Key', internal]] as readonly Pair[],
    admin: user(admin),
    analyst: user({ sub: 'user-analyst', roles: ['analyst'] }),
    nobody: user({ sub: 'user-nobody' }),
    office: (id: string) => user({ sub: `staff-of-${id}`, office_id: id }),
    professional: ({ id, userId }: { readonly id: string; readonly userId: string }) =>
      user({ sub: userId, professional_id: id }),
    /** Each to be refused, or to be taken for less than it says. */
    wrong,
  };
};
export type Callers = ReturnType<typeof createCallers>;

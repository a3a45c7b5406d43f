import { until } from './until.ts';
import { ask, type Reply } from './ask.ts';
import type { Instance } from './instance.ts';
import { adminClaims } from './world.ts';

/** A parked stream of a build. */
export interface Parked {
  readonly stream: string;
  readonly revision: number;
  readonly type: string;
  readonly error: string;
  readonly request: string;
}

/** What an instance reports of a projection: the members that the checks use. */
export interface ProjectionTold {
  readonly name: string;
  readonly live: string | null;
  readonly verified: {
    readonly build: string;
    readonly report: { readonly total: number; readonly differences: readonly unknown[] };
  } | null;
  readonly builds: readonly {
    readonly id: string;
    readonly state: string;
    readonly position: string | null;
    readonly stoppedBy: string | null;
    readonly quarantined: readonly Parked[];
  }[];
}

type Asked = Pick<Instance, 'running'>;
const ANSWERS_WITHIN_MS = 8_000;
const TOLD_WITHIN_MS = 30_000;

const operate = (instance: Asked, method: 'GET' | 'POST', path: string, body?: object): Promise<Reply | undefined> =>
  ask(
    instance.running()?.url,
    { method, path: `/admin/projections${path}`, as: adminClaims, ...(body && { body }) },
    ANSWERS_WITHIN_MS,
  );

/** Undefined when the instance does not answer. */
export const projectionsTold = async (instance: Asked): Promise<readonly ProjectionTold[] | undefined> => {
  const reply = await operate(instance, 'GET', '');
  return reply?.status === 200 ? (reply.body as { readonly data: readonly ProjectionTold[] }).data : undefined;
};

/** Asks the instances in turn until one answers. */
export const projectionsOf = async (instances: readonly Asked[]): Promise<readonly ProjectionTold[]> => {
  let told: readonly ProjectionTold[] | undefined;
  const isTold = async () => {
    for (const instance of instances) {
      told = await projectionsTold(instance);
      if (told) return true;
    }
    return false;
  };
  await until('an instance tells how the projections stand', isTold, TOLD_WITHIN_MS);
  return told ?? [];
};

/** Undefined when the instance does not answer; otherwise whether it accepted the request. */
export const request = async (
  instance: Asked,
  act: 'retry' | 'skip' | 'verify' | 'rebuild',
  projection: string,
  body: object = {},
): Promise<{ readonly isDone: boolean; readonly reply: Reply } | undefined> => {
  const confirm = act === 'skip' || act === 'rebuild' ? { confirm: projection } : {};
  const reply = await operate(instance, 'POST', `/${projection}/${act}`, { ...confirm, ...body });
  return reply && { isDone: reply.status < 300, reply };
};

/** The process id of the lease holder of a projection's active build, as an instance knows it. */
export const leaseHolder = async (instance: Asked, projection: string): Promise<number | undefined> => {
  const reply = await ask(instance.running()?.url, { method: 'GET', path: '/metrics' });
  const pattern = new RegExp(`projection_lease_since_seconds\\{projection="${projection}",holder="[^":]*:(\\d+):`);
  const pid = pattern.exec(String(reply?.body))?.[1];
  return pid === undefined ? undefined : Number(pid);
};

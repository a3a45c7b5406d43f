import { until } from './until.ts';
import { ask, inWords } from './ask.ts';
import type { Instance } from './instance.ts';
import { adminClaims, claimsOf, type World } from './world.ts';

const readsOf = ({ postings, professionals }: World) => {
  const [{ id: posting } = { id: '' }] = postings;
  const [professional = ''] = professionals;
  return [
    ['posting-candidates', { path: `/postings/${posting}/candidates`, as: adminClaims }],
    ['professional-candidates', { path: '/professionals/candidates?category=active', as: claimsOf(professional) }],
    ['saved-postings', { path: '/postings/saved', as: claimsOf(professional) }],
    ['professional-profiles', { path: `/internal/professionals/${professional}` }],
  ] as const;
};

/**
 * Waits until reads that carry a token are answered, for each projection and at each given instance.
 *
 * @throws Error that names an instance and a projection that lags behind
 */
export const untilCaughtUp = async (
  instances: readonly Instance[],
  world: World,
  token: string,
  withinMs: number,
): Promise<void> => {
  const headers = { 'Consistency-Token': token };
  const end = performance.now() + withinMs;
  for (const instance of instances)
    for (const [projection, read] of readsOf(world)) {
      const isShown = async () => {
        const reply = await ask(instance.running()?.url, { method: 'GET', ...read, headers });
        if (reply?.status !== 200) throw new Error(inWords(reply));
        return true;
      };
      const what = `instance ${instance.number} shows in ${projection} what was acknowledged`;
      await until(what, isShown, Math.max(1_000, end - performance.now()));
    }
};

/** Waits until instances say that they are ready. @throws Error with the answer of one that is not */
export const untilReady = async (instances: readonly Instance[], withinMs: number): Promise<void> => {
  await Promise.all(
    instances.map(async (instance) => {
      const isReady = async () => {
        const reply = await ask(instance.running()?.url, { method: 'GET', path: '/health/ready' });
        if (reply?.status !== 200) throw new Error(inWords(reply));
        return true;
      };
      await until(`instance ${instance.number} is ready`, isReady, withinMs);
    }),
  );
};

import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { Type, type Static, type TSchema } from '../../src/schema/typebox.ts';
import { createKeyedMutex } from '../../src/lib/keyed-mutex.ts';
import { createValidator } from '../../src/schema/validation.ts';

/** What a fuzz asks the process of the service. */
export type Asked =
  | { readonly kind: 'url' }
  | { readonly kind: 'clock'; readonly minutes: number }
  | { readonly kind: 'delivery'; readonly isFailing: boolean }
  /** The newest code that was sent to a number or mail address. */
  | { readonly kind: 'code'; readonly to: string }
  | { readonly kind: 'events'; readonly after: string }
  | { readonly kind: 'health' }
  | { readonly kind: 'stop' };

const checkWrapped = createValidator(Type.Object({ reply: Type.Unknown() }), 'answer');
const Nothing = Type.Object({});
const Event = Type.Object({ position: Type.String(), type: Type.String(), requestId: Type.String() });
const Health = Type.Object({
  rss: Type.Number(),
  heapUsed: Type.Number(),
  maxMs: Type.Number(),
  p99Ms: Type.Number(),
  meanMs: Type.Number(),
});
export type AppendedEvent = Static<typeof Event>;
/** Bytes after a collection of garbage, and event-loop delays since the last time. */
export type Health = Static<typeof Health>;

/** Starts the service on files of its own, or on the servers that tests are given, in a process of its own. */
export const startFuzzedService = async () => {
  const script = fileURLToPath(new URL('./service-process.js', import.meta.url));
  const child = fork(script, {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    execArgv: ['--expose-gc', '--enable-source-maps', '--max-semi-space-size=32'],
  });
  const exited = once(child, 'exit');
  const exclusive = createKeyedMutex();
  /** One after the other: an answer does not say whose it is. */
  const ask = <S extends TSchema>(asked: Asked, reply: S): Promise<Static<S>> =>
    exclusive('child', () => askAlone(asked, reply));
  const askAlone = async <S extends TSchema>(asked: Asked, reply: S): Promise<Static<S>> => {
    const message = once(child, 'message');
    child.send(asked);
    const [answer] = (await Promise.race([
      message,
      exited.then(([code]) => {
        throw new Error(`The service ended with ${String(code)}`);
      }),
    ])) as [unknown];
    const wrapped = checkWrapped(answer);
    if (!wrapped.ok) throw new Error(`${wrapped.message}: ${JSON.stringify(answer)}`);
    const checked = createValidator(reply, 'reply')(wrapped.value.reply);
    if (!checked.ok) throw new Error(checked.message);
    return checked.value;
  };
  const { url } = await ask({ kind: 'url' }, Type.Object({ url: Type.String() }));

  return {
    url,
    advance: (minutes: number) => ask({ kind: 'clock', minutes }, Nothing),
    failDeliveries: (isFailing: boolean) => ask({ kind: 'delivery', isFailing }, Nothing),
    codeTo: async (to: string) =>
      (await ask({ kind: 'code', to }, Type.Object({ code: Type.Optional(Type.String()) }))).code,
    eventsAfter: async (after: string) =>
      (await ask({ kind: 'events', after }, Type.Object({ events: Type.Array(Event) }))).events,
    health: () => ask({ kind: 'health' }, Health),
    async stop() {
      await ask({ kind: 'stop' }, Nothing);
      child.disconnect();
      await exited;
    },
  };
};
export type FuzzedService = Awaited<ReturnType<typeof startFuzzedService>>;

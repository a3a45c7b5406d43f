import { Session } from 'node:inspector/promises';
import { BroadcastChannel, isMainThread } from 'node:worker_threads';

/** What ran since it was last asked: `<file> <offset of the function>`, by V8's coverage. */
const session = new Session();
session.connect();
await session.post('Profiler.enable');
await session.post('Profiler.startPreciseCoverage', { callCount: true });

const taken = async (): Promise<string[]> => {
  const { result } = await session.post('Profiler.takePreciseCoverage');
  return result.flatMap(({ url, functions }) =>
    functions.flatMap(({ ranges: [range] }) => (range && range.count > 0 ? [`${url} ${range.startOffset}`] : [])),
  );
};

/** The parent asks the main thread, and that the others; each answers on its own. */
const threads = new BroadcastChannel('coverage');
threads.unref();
if (isMainThread) {
  const send = (ran: readonly string[]) => process.send?.(ran);
  process.on('message', () => {
    threads.postMessage('take');
    void taken().then(send);
  });
  process.channel?.unref();
  threads.onmessage = ({ data }: { readonly data: unknown }) => send(data as string[]);
} else
  threads.onmessage = async ({ data }: { readonly data: unknown }) => {
    if (data === 'take') threads.postMessage(await taken());
  };

import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isMainThread } from 'node:worker_threads';

/**
 * To be preloaded (`node --import`): a worker thread stands still as long as the directory that HANG_IN names has a
 * file with the name of the thread's module, such as `writer`; it makes the file `writer-stands` meanwhile.
 */
if (!isMainThread) {
  const [, thread = ''] = /([a-z-]+)\.thread\.js$/.exec(process.argv[1] ?? '') ?? [];
  const file = join(process.env['HANG_IN'] ?? '', thread);
  const waited = new Int32Array(new SharedArrayBuffer(4));
  setInterval(() => {
    if (!existsSync(file)) return;
    writeFileSync(`${file}-stands`, '');
    while (existsSync(file)) Atomics.wait(waited, 0, 0, 50);
    rmSync(`${file}-stands`);
  }, 50).unref();
}

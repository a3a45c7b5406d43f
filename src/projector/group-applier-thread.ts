import { workerData } from 'node:worker_threads';
import { streamToParent } from '../lib/thread-stream.ts';
import type { StoreSettings } from '../stores.ts';
import type { NamedBuild } from './apply-groups.ts';
import { groupReader } from './group-reader.ts';

const { settings, build } = workerData as {
  readonly settings: StoreSettings;
  readonly build: NamedBuild;
};
// The thread that wants no more ends this one.
const { signal } = new AbortController();
const batches = groupReader(settings.eventStore)(build.read, signal);
// The reader sorts while this thread still loads the projections.
const { applyNamed } = await import('./named-build.ts');
await streamToParent(applyNamed(build, () => batches, settings.readModels, signal));

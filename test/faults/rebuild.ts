import { projections } from '../../projections/index.ts';
import { startProjector, type ProjectorOptions } from '../../src/projector/projector.ts';
import { openMongoReadModels } from '../../src/read-models/mongodb/read-models.ts';
import { eventually } from '../support/eventually.ts';
import { dumpDocuments, type Dump } from '../support/read-model-dump.ts';
import { newDatabase } from '../support/servers.ts';

const WITHIN_MS = 120_000;

/** The documents of a rebuild from the whole event log, without interruption. */
export const rebuild = async (eventStore: ProjectorOptions['eventStore'], server: string): Promise<Dump> => {
  const { url, drop } = newDatabase(server);
  const readModels = openMongoReadModels({ url });
  const errors: unknown[] = [];
  const onError = (_: string, error: unknown) => errors.push(error);
  const projector = await startProjector({ eventStore, readModels, projections, onError });
  try {
    const head = await eventStore.head();
    const isDone = () => projector.status().every(({ position }) => position >= head);
    await eventually('the rebuild is done', () => isDone() || errors.length > 0, WITHIN_MS);
    if (errors.length > 0) throw new Error('The rebuild has failed', { cause: errors[0] });
    return await dumpDocuments(readModels);
  } finally {
    await projector.stop();
    await readModels.close();
    await drop();
  }
};

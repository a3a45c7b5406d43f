import { existsSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { projections } from '../../../projections/index.ts';
import { StoreUnavailableError } from '../../errors/store-unavailable.ts';
import { readEmbeddedHead } from '../../event-store/embedded/event-store.ts';
import { projectionNameOfBuild } from '../../projector/build-id.ts';
import { createReadModelFileCatalog } from '../../read-models/embedded/read-model-files.ts';
import { refuseDamagedReadModel } from '../../read-models/embedded/file-readers.ts';
import { buildRegistryFileOf, type ReadModelSettings, type SqliteSettings, type StoreSettings } from '../../stores.ts';
import { oneLineReason } from '../parts/cli-error.ts';
import { findLogFileFault } from '../parts/event-file.ts';
import { readBuilds, type ListedBuild } from '../projections/listed-builds.ts';
import { troublesIn } from '../projections/troubles.ts';
import { badFinding, runAsFindings, wellFinding, type Finding } from './finding.ts';
import { createServerHelpFinder } from './external-services.ts';

const DAY_MS = 86_400_000;

/** Opens each file of read models, and reads its header and its description of itself. */
const damagedFiles = (settings: SqliteSettings): Finding[] => {
  const files = createReadModelFileCatalog(resolve(settings.path));
  return files.builds().flatMap((build) => {
    const file = files.whole(build);
    try {
      refuseDamagedReadModel(file, build);
      return [];
    } catch (error) {
      if (error instanceof StoreUnavailableError)
        return badFinding('read models', `${file} cannot be opened now: see disk, owners and limits`);
      const help = `hiring projections rebuild ${projectionNameOfBuild(build)} builds it anew, as the next start does`;
      return badFinding('read models', `${file} is damaged: ${oneLineReason(error)}`, help);
    }
  });
};

const lookAtRegistryFile = (settings: SqliteSettings): Finding[] => {
  const file = buildRegistryFileOf(settings);
  const lost = 'pauses and kept builds are forgotten, and the next start builds all anew';
  const size = statSync(file, { throwIfNoEntry: false })?.size;
  const isMissing = size === undefined && createReadModelFileCatalog(resolve(settings.path)).builds().length > 0;
  if (isMissing) return [badFinding('build registry', `${file} is not there: ${lost}`, 'hiring serve')];
  return size === 0 ? [badFinding('build registry', `${file} is empty: ${lost}`, 'hiring serve')] : [];
};

/** Whether a complete build has its file, if it is one on files. */
const hasFile = ({ build }: ListedBuild, settings: ReadModelSettings): boolean =>
  settings.kind !== 'sqlite' ||
  (build !== null && existsSync(createReadModelFileCatalog(resolve(settings.path)).whole(build)));

/** A build that is served by code of another version. */
const newerBuild = ({ projection, build, state, version }: ListedBuild): Finding[] => {
  const own = projections.find(({ name }) => name === projection)?.version ?? version;
  if (build === null || state !== 'live' || version <= own) return [];
  const text = `${build} is served, and is of newer code: this code is of version ${own} of ${projection}`;
  return [badFinding('read models', text, `start the newer code, or hiring projections rollback ${projection}`)];
};

/** A build without its file, which no process is making anew. */
const missingFile = (line: ListedBuild, readModels: ReadModelSettings): Finding[] => {
  const { projection, build, step } = line;
  if (build === null || step !== 'ready' || readModels.kind !== 'sqlite' || hasFile(line, readModels)) return [];
  const files = createReadModelFileCatalog(resolve(readModels.path));
  if (existsSync(files.building(build))) return [];
  const help = `the next start builds it anew, as hiring projections rebuild ${projection} does`;
  return [badFinding('read models', `${files.whole(build)} is not there`, help)];
};

/** A pause of less than a day is work under way. */
const isFresh = ({ pausedSince }: ListedBuild, now: Date): boolean =>
  pausedSince !== null && now.getTime() - Date.parse(pausedSince) < DAY_MS;

/** Whether the end of an event log can be read; that it cannot is a finding of its own. */
const hasReadableEnd = (file: string): boolean => {
  try {
    return findLogFileFault(file) === undefined && readEmbeddedHead(file) >= 0;
  } catch {
    return false;
  }
};

/**
 * What is known of the builds: registry, files, versions, parked streams, and what waits for an operator.
 *
 * @param isRunning whether a process has the data directory
 */
export const diagnoseBuilds = async (
  stores: StoreSettings,
  now: Date,
  isRunning: boolean,
): Promise<readonly Finding[]> => {
  const { eventStore, readModels } = stores;
  const ofFiles = await runAsFindings('read models', () =>
    Promise.resolve(
      readModels.kind === 'sqlite' ? [...lookAtRegistryFile(readModels), ...damagedFiles(readModels)] : [],
    ),
  );
  // An empty registry file would get its table by being opened.
  if (ofFiles.some(({ subject }) => subject === 'build registry')) return ofFiles;
  const ofBuilds = await runAsFindings(
    readModels.kind === 'sqlite' ? 'build registry' : 'read models',
    async () => {
      const lines = await readBuilds(stores, eventStore.kind === 'sqlite' && hasReadableEnd(eventStore.path));
      const settled = lines.map((line) => (isFresh(line, now) ? { ...line, pausedSince: null } : line));
      const troubles = troublesIn(settled).map(({ text, help }) => badFinding('read models', text, help));
      const usable = lines.filter((line) => line.step === 'ready' && hasFile(line, readModels));
      const missing = projections.filter(
        ({ name, version }) => !usable.some((line) => line.projection === name && line.version === version),
      );
      const served = wellFinding(
        'read models',
        missing.length === 0
          ? 'every projection has a build of this version'
          : `the next start builds ${missing.map(({ name }) => name).join(', ')}`,
      );
      // After a restore none has its file.
      const isRestored = !isRunning && !lines.some((line) => hasFile(line, readModels));
      const missed = isRestored ? [] : lines.flatMap((line) => missingFile(line, readModels));
      return [served, ...lines.flatMap(newerBuild), ...missed, ...troubles];
    },
    readModels.kind === 'sqlite'
      ? 'a running service, or hiring serve, sets it aside and builds all anew'
      : createServerHelpFinder('READ_MODEL_URL', readModels.url),
  );
  return [...ofFiles, ...ofBuilds];
};

import * as fs from 'node:fs';
import { invalid } from '../../errors/domain-error.ts';
import { START_POSITION } from '../../event-store/port.ts';
import { compareLogIdentity } from '../../event-store/identity.ts';
import type { MomentCutoff } from '../moment/moment.ts';
import type { FileOperations } from '../../lib/files.ts';
import { isRemadeAsWhole, type ExportFormatOptions } from './formats.ts';
import { refuseOtherFiles, removeLeftOver } from './left-over.ts';
import {
  exportedFilesByName,
  toExportSettings,
  newManifest,
  readManifest,
  isResumableOrThrow,
  writeManifest,
  type ExportManifest,
} from './manifest.ts';
import { logIdentityReaderOfSource, type HistoryEventSource } from '../moment/history-event-source.ts';
import type { ExportWriterFactory } from './writer.ts';

/** Events in a part. */
const EVENTS_PER_PART = 100_000;

export interface ExportRequest {
  readonly form: ExportFormatOptions;
  /** The version of the code that reads the events. */
  readonly code: string;
  readonly to: MomentCutoff;
}

interface ExportOptions {
  readonly signal: AbortSignal;
  /** Told that an export whose masks are of another scheme is made anew. */
  readonly onRestart?: () => void;
  /** Those of the operating system when left out. */
  readonly operations?: FileOperations;
  /** Events in a part; `EVENTS_PER_PART` when left out. */
  readonly partEvents?: number;
}

/** The manifest to begin with: that of the export that is continued, or a new one. @throws DomainError */
const beginning = async (
  source: HistoryEventSource,
  directory: string,
  { form, code, to: { at, position: upTo } }: ExportRequest,
  onRestart: () => void,
): Promise<ExportManifest> => {
  const { format, types, caseOf = null, columns, bom } = form;
  const sorted = types ? [...new Set(types)].sort() : null;
  const options = { ...(columns && { columns: [...columns] }), ...(bom && { bom }), ...(at !== null && { at }) };
  const settings = toExportSettings({ format, case: caseOf, types: sorted, code, ...options }, source.shownAs);
  const found = readManifest(directory);
  if (!found) {
    refuseOtherFiles(directory);
    return newManifest(settings);
  }
  if (!isResumableOrThrow(directory, found, settings)) {
    onRestart();
    return newManifest(settings);
  }
  const { position, mark, underWay, parts, first } = found;
  const last = mark === null ? null : { position, id: mark };
  const log = logIdentityReaderOfSource(source, upTo, parts.at(-1)?.after ?? START_POSITION);
  const comparison = await compareLogIdentity({ first, last }, log);
  if (comparison.kind === 'older')
    throw invalid(
      `${directory} holds events that the event log lacks, up to position ${position}: it was restored from a backup, or is another one; allowed: another directory`,
    );
  if (comparison.kind !== 'same')
    throw invalid(`${directory} holds an export of another event log; allowed: another directory`);
  const reached = underWay ?? position;
  if (upTo < reached)
    throw invalid(
      underWay === null
        ? `${directory} holds an export up to ${position}, which is after ${upTo}; allowed: that position or a later one`
        : `${directory} holds an export that is under way to ${underWay}, which is after ${upTo}; allowed: that position or a later one`,
    );
  return isRemadeAsWhole(form) && (underWay !== null || position !== upTo) ? newManifest(settings) : found;
};

/**
 * Exports the events of the event log after those that are in a directory, part by part. The manifest names a part once
 * it is whole and on the disk, so that after a kill, wherever it came, the same again goes on and makes the same bytes.
 *
 * @param begin begins to write in the form that is asked for
 * @param directory there, and of this process alone
 * @throws DomainError for an export that is refused; nothing is changed then. The signal's reason where it is aborted:
 *   what is whole stays
 */
export const exportHistory = async (
  source: HistoryEventSource,
  begin: ExportWriterFactory,
  directory: string,
  request: ExportRequest,
  { signal, operations = fs, onRestart = () => undefined, partEvents = EVENTS_PER_PART }: ExportOptions,
): Promise<ExportManifest> => {
  const { at: recordedBy, position: end } = request.to;
  const found = await beginning(source, directory, request, onRestart);
  const first = found.first ?? (await logIdentityReaderOfSource(source, end, START_POSITION).first());
  let manifest: ExportManifest = { ...found, ...(first && { first }) };
  const save = (changed: ExportManifest): void => {
    writeManifest(operations, directory, changed);
    manifest = changed;
  };
  removeLeftOver(operations, directory, manifest);
  const goals = [...new Set([manifest.underWay ?? end, end])].filter((goal) => goal > manifest.position);
  // Files that are begun are known by their manifest, also after a kill.
  save(goals.length === 0 ? { ...manifest, underWay: null } : manifest);
  const maxEvents = isRemadeAsWhole(request.form) ? Infinity : partEvents;
  for (const goal of goals) {
    const { parts } = manifest;
    const writer = await begin({ operations, directory, parts: parts.length, files: exportedFilesByName(manifest) });
    try {
      save({ ...manifest, underWay: goal });
      while (manifest.position < goal) {
        const after = manifest.position;
        const { id, ...part } = await writer.write({ after, upTo: goal, recordedBy }, maxEvents);
        signal.throwIfAborted();
        const { upTo: position } = part;
        const mark = id ?? (await source.idAt(position, after));
        save({
          ...manifest,
          underWay: position < goal ? goal : null,
          position,
          mark,
          parts: [...manifest.parts, { after, ...part, files: [...part.files] }],
        });
      }
    } finally {
      writer.close();
    }
  }
  return manifest;
};

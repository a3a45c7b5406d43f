import * as fs from 'node:fs';
import { setImmediate } from 'node:timers/promises';
import { invalid } from '../../errors/domain-error.ts';
import { START } from '../../event-store/port.ts';
import { compareLog } from '../../event-store/identity.ts';
import type { ShownAs } from '../moment/mask.ts';
import type { EventsMeant } from '../moment/moment.ts';
import type { FileOperations } from '../../lib/new-file.ts';
import { encodedHere, type FileRows, type ReadEncoded } from './encoded.ts';
import { isWhole, objectsFormat, rowsFormat, type ExportForm, type FormatOf } from './formats.ts';
import { refuseStrangers, removeLeftOver } from './left-over.ts';
import {
  filesIn,
  madeWith,
  newManifest,
  readManifest,
  isResumable,
  writeManifest,
  type ExportManifest,
} from './manifest.ts';
import { A_PART, appendPart, type PartOptions } from './part.ts';
import { comparedShownLog, type ShownLog } from '../find/shown-log.ts';

export interface ExportAsked {
  readonly form: ExportForm;
  readonly shownAs: ShownAs;
  /** The version of the code that reads the events. */
  readonly code: string;
  readonly to: EventsMeant;
}

export interface ExportOptions extends Omit<PartOptions, 'onRead' | 'partEvents'> {
  /** Told how many events of the event log are read, and of how many, about, if that is known. */
  readonly onRead: (events: number, of: number | undefined) => void;
  /** Told that an export whose masks are of another scheme is made anew. */
  readonly onRestart?: () => void;
  /** Those of the operating system when left out. */
  readonly operations?: FileOperations;
  /** Events in a part; `A_PART` when left out. */
  readonly partEvents?: number;
  /** Reads the events for a format of files of rows; by default on the calling thread. */
  readonly readRows?: ReadEncoded<readonly FileRows[]>;
}

/** What is there: an export that this one goes on with, or nothing. @throws DomainError */
const beginning = async (
  source: ShownLog,
  directory: string,
  { form, shownAs, code, to: { at, position: upTo } }: ExportAsked,
  onRestart: () => void,
): Promise<ExportManifest> => {
  const { format, types, caseOf = null } = form;
  const sorted = types ? [...new Set(types)].sort() : null;
  const made = madeWith({ format, case: caseOf, types: sorted, code, ...(at !== null && { at }) }, shownAs);
  const found = readManifest(directory);
  if (!found) {
    refuseStrangers(directory);
    return newManifest(made);
  }
  if (!isResumable(directory, found, made)) {
    onRestart();
    return newManifest(made);
  }
  const { position, mark, underWay, parts, first } = found;
  const last = mark === null ? null : { position, id: mark };
  const log = comparedShownLog(source, upTo, parts.at(-1)?.after ?? START);
  const comparison = await compareLog({ first, last }, log);
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
  return isWhole(form) && (underWay !== null || position !== upTo) ? newManifest(made) : found;
};

const exportAs = async <Content>(
  source: ShownLog,
  directory: string,
  asked: ExportAsked,
  {
    operations = fs,
    onRead,
    onRestart = () => undefined,
    partEvents,
    ...options
  }: Omit<ExportOptions, 'readRows'>,
  begin: FormatOf<Content>['begin'],
  read: ReadEncoded<Content>,
): Promise<ExportManifest> => {
  const { form } = asked;
  const { at: recordedBy, position: upTo } = asked.to;
  const found = await beginning(source, directory, asked, onRestart);
  const first = found.first ?? (await comparedShownLog(source, upTo, START).first());
  let manifest: ExportManifest = { ...found, ...(first && { first }) };
  const save = (changed: ExportManifest): void => {
    writeManifest(operations, directory, changed);
    manifest = changed;
  };
  removeLeftOver(operations, directory, manifest);
  const goals = [...new Set([manifest.underWay ?? upTo, upTo])].filter((goal) => goal > manifest.position);
  if (goals.length === 0) {
    save({ ...manifest, underWay: null });
    return manifest;
  }
  const of = await source.countIn({ after: manifest.position, upTo });
  let events = 0;
  // Files that are begun are known by their manifest, also after a kill.
  save(manifest);
  for (const goal of goals) {
    const place = { operations, directory, parts: manifest.parts.length, files: filesIn(manifest) };
    const writer = await begin(place);
    const aPart = isWhole(form) ? Infinity : (partEvents ?? A_PART);
    const end = async ({ part, mark }: Awaited<ReturnType<typeof appendPart>>): Promise<void> => {
      const files = [...(await writer.endPart())];
      const { upTo: position } = part;
      const underWay = position < goal ? goal : null;
      save({ ...manifest, underWay, position, mark, parts: [...manifest.parts, { ...part, files }] });
    };
    let after = manifest.position;
    const failing = new AbortController();
    const signal = AbortSignal.any([options.signal, failing.signal]);
    const runs = read({ after, upTo: goal, recordedBy }, aPart, signal);
    // The files of a part are made while the next one is read.
    let ending = Promise.resolve();
    try {
      save({ ...manifest, underWay: goal });
      while (after < goal) {
        const appended = await appendPart(runs, writer, { after, upTo: goal }, source, {
          ...options,
          signal,
          partEvents: aPart,
          onRead: (more) => onRead((events += more), of),
        });
        await ending;
        ending = end(appended);
        // The next part is not appended then, but throws this error.
        ending.catch((error: unknown) => failing.abort(error));
        after = appended.part.upTo;
        await setImmediate();
      }
      await ending;
    } finally {
      await Promise.allSettled([ending, runs.return()]);
      writer.close();
    }
  }
  return manifest;
};

/**
 * Exports the events of the event log after those that are in a directory, part by part. The manifest names a part once
 * it is whole and on the disk, so that after a kill, wherever it came, the same again goes on and makes the same bytes.
 *
 * @param directory there, and of this process alone
 * @throws DomainError for an export that is refused; nothing is changed then. The signal's reason where it is aborted:
 *   what is whole stays
 */
export const exportHistory = async (
  source: ShownLog,
  directory: string,
  asked: ExportAsked,
  { readRows, ...options }: ExportOptions,
): Promise<ExportManifest> => {
  const { form, shownAs } = asked;
  const rows = rowsFormat(form, shownAs);
  if (rows) {
    const read = readRows ?? encodedHere(source, form.types, rows.encode);
    return exportAs(source, directory, asked, options, rows.begin, read);
  }
  const { encode, begin } = objectsFormat(form, shownAs);
  return exportAs(source, directory, asked, options, begin, encodedHere(source, form.types, encode));
};

import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { Type, type Static } from '../../schema/typebox.ts';
import { eventDefinitions } from '../../domain/index.ts';
import { invalid } from '../../errors/domain-error.ts';
import { START_POSITION } from '../../event-store/port.ts';
import { errorMessageOf } from '../../lib/error.ts';
import { canonicalJson } from '../../schema/json.ts';
import { nullable, object } from '../../schema/schema.ts';
import { createValidator } from '../../schema/validation.ts';
import { differInMaskVersion, noMask, withheldMembers, type MaskIdentity } from '../moment/mask.ts';
import { readRegularFile, writeFileAtomically, type FileOperations } from '../../lib/files.ts';
import { ExportedFile } from './files.ts';

/** A run of consecutive events of the event log. */
const ExportedPart = object({
  /** Positions: the part begins after the one and ends with the other. */
  after: Type.String(),
  upTo: Type.String(),
  /** Of the types asked for. */
  events: Type.Integer(),
  /** Events that this code cannot read, among them. */
  unreadable: Type.Integer(),
  /** The files as they were when the part was finished. A file that keeps growing is listed in each part. */
  files: Type.Array(ExportedFile),
});

/** What an export is made with: with other settings it would be another export. */
const Settings = {
  format: Type.String(),
  case: nullable(Type.String()),
  types: nullable(Type.Array(Type.String())),
  /** Left out: all. */
  columns: Type.Optional(Type.Array(Type.String())),
  /** Whether CSV begins with a byte order mark; left out: it does not. */
  bom: Type.Optional(Type.Boolean()),
  /** The time by which the events were recorded; left out: any. */
  at: Type.Optional(Type.String()),
  /** Tells the scheme of masks, and those of one secret from those of another; `none` with personal data. */
  masks: Type.String(),
  /** The version of the code that reads the events, and a digest of the events that it knows. */
  code: Type.String(),
  definitions: Type.String(),
};

export const ExportManifest = object({
  ...Settings,
  /** The position up to which an unfinished run exports; null where there is none. */
  underWay: nullable(Type.String()),
  /** All events up to here are exported. */
  position: Type.String(),
  /** Members that are withheld, by the type of events; exports of the first scheme of masks have none. */
  withheld: Type.Optional(Type.Record(Type.String(), Type.Array(Type.String()))),
  /** The id of the record there. */
  mark: nullable(Type.String()),
  /** The first event of the event log, whose id is the log's identity; older exports have none. */
  first: Type.Optional(object({ position: Type.String(), id: Type.String() })),
  parts: Type.Array(ExportedPart),
});
export type ExportManifest = Static<typeof ExportManifest>;

type ExportSettings = Pick<ExportManifest, keyof typeof Settings>;

export const MANIFEST_FILE = 'manifest.json';

/** Raised when files of a warehouse's rows are written in another way. */
const LAYOUT = 2;

const digestOf = (value: unknown): string => createHash('sha256').update(canonicalJson(value)).digest('hex');
const definitions = digestOf(eventDefinitions);
const warehouseDefinitions = digestOf({ LAYOUT, definitions });

export const toExportSettings = (
  request: Omit<ExportSettings, 'masks' | 'definitions'>,
  { maskId }: MaskIdentity,
): ExportSettings => ({
  ...request,
  masks: maskId,
  definitions: request.format === 'ndjson' ? definitions : warehouseDefinitions,
});

const withheldFrom = ({ masks, types }: ExportSettings): Record<string, string[]> => {
  const found = eventDefinitions.filter(({ type }) => masks !== noMask.maskId && (types?.includes(type) ?? true));
  const members = found.map(({ type, data }) => [type, [...withheldMembers(data)]] as [string, string[]]);
  return Object.fromEntries(members.filter(([, each]) => each.length > 0));
};

export const newManifest = (settings: ExportSettings): ExportManifest => ({
  ...settings,
  withheld: withheldFrom(settings),
  underWay: null,
  position: START_POSITION,
  mark: null,
  parts: [],
});

const check = createValidator(ExportManifest, 'manifest');

/** The manifest of a directory; undefined where there is none. @throws DomainError for one that is none of an export */
export const readManifest = (directory: string): ExportManifest | undefined => {
  const file = join(directory, MANIFEST_FILE);
  if (!existsSync(file)) return undefined;
  const refuse = (reason: string) => invalid(`${file} cannot be read as the manifest of an export: ${reason}`);
  let found: unknown;
  try {
    found = JSON.parse(readRegularFile(file));
  } catch (error) {
    throw refuse(errorMessageOf(error));
  }
  const checked = check(found);
  if (!checked.ok) throw refuse(checked.message);
  return checked.value;
};

/** Writes the manifest: either all of it is there afterwards, or what was there before. */
export const writeManifest = (operations: FileOperations, directory: string, manifest: ExportManifest): void =>
  writeFileAtomically(join(directory, MANIFEST_FILE), `${JSON.stringify(manifest, null, 2)}\n`, operations);

/** Each setting in the words of a refusal. */
const settingTexts: Readonly<Record<keyof ExportSettings, (settings: ExportSettings) => string>> = {
  format: ({ format }) => `the format ${format}`,
  case: (settings) => (settings.case === null ? 'no case' : `the case ${settings.case}`),
  types: ({ types }) => (types === null ? 'all types' : `the types ${types.join(', ')}`),
  columns: ({ columns }) => (columns === undefined ? 'all columns' : `the columns ${columns.join(', ')}`),
  bom: ({ bom }) => (bom === true ? 'a byte order mark' : 'no byte order mark'),
  at: ({ at }) => (at === undefined ? 'no time' : `the time ${at}`),
  masks: ({ masks }) => (masks === noMask.maskId ? 'personal data' : `masks ${masks}`),
  code: ({ code }) => `version ${code}`,
  definitions: () => 'other definitions of events',
};

/**
 * Whether an export can be continued. One whose masks are of another scheme is made anew, whatever code made it.
 *
 * @throws DomainError for an export that is made with something else
 */
export const isResumableOrThrow = (directory: string, found: ExportManifest, settings: ExportSettings): boolean => {
  const isAnew = differInMaskVersion(found.masks, settings.masks);
  const isOther = (name: keyof ExportSettings) =>
    canonicalJson(found[name] ?? null) !== canonicalJson(settings[name] ?? null);
  const chosen: readonly (keyof ExportSettings)[] = ['format', 'case', 'types', 'columns', 'bom', 'at'];
  const names: typeof chosen = isAnew ? chosen : [...chosen, 'masks', 'code', 'definitions'];
  const different = names.filter(isOther);
  // Each format has definitions of its own.
  const others = different.includes('format') ? different.filter((name) => name !== 'definitions') : different;
  if (others.length === 0) return !isAnew;
  const there = others.map((name) => settingTexts[name](found)).join(', ');
  const wanted = others.map((name) => settingTexts[name](settings)).join(', ');
  throw invalid(
    `${directory} holds an export with ${there}; asked for is ${wanted}; allowed: the same as there, or another directory`,
  );
};

/** The files of an export, as its manifest has them. */
export const exportedFilesByName = ({ parts }: ExportManifest): ReadonlyMap<string, ExportedFile> =>
  new Map(parts.flatMap(({ files }) => files.map((file) => [file.name, file] as const)));

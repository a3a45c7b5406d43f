import { readFileSync } from 'node:fs';
import { Type, type Static } from '../../schema/typebox.ts';
import { createValidator } from '../../schema/validation.ts';
import { writeFileAtomically } from '../../lib/files.ts';
import { CliError, oneLineReason } from './cli-error.ts';

/** What a backup holds, in a file of JSON beside it. */
export const BackupManifest = Type.Object(
  {
    /** Of the last event in it: each write whose `Consistency-Token` is no higher is in it. */
    position: Type.String(),
    events: Type.Integer(),
    streams: Type.Integer(),
    idempotencyRecords: Type.Integer(),
    bytes: Type.Integer(),
    /** Of the file, in hexadecimal digits. */
    sha256: Type.String(),
    /** RFC 3339 */
    at: Type.String(),
  },
  { additionalProperties: false },
);
export type BackupManifest = Static<typeof BackupManifest>;

export const manifestFileOf = (backup: string): string => `${backup}.json`;

const check = createValidator(BackupManifest, 'manifest');

/** @throws CliError */
export const readBackupManifest = (backup: string): BackupManifest => {
  const file = manifestFileOf(backup);
  try {
    const checked = check(JSON.parse(readFileSync(file, 'utf8')));
    if (!checked.ok) throw new Error(checked.message);
    return checked.value;
  } catch (error) {
    throw new CliError(`${file} cannot be read as the manifest of a backup: ${oneLineReason(error)}`);
  }
};

/** Writes a manifest to the disk. */
export const writeBackupManifest = (backup: string, manifest: BackupManifest): void =>
  writeFileAtomically(manifestFileOf(backup), `${JSON.stringify(manifest, null, 2)}\n`);

import { createHash } from 'node:crypto';
import { createReadStream, readFileSync } from 'node:fs';
import { stat } from 'node:fs/promises';
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

/** Size and checksum of a file as it is on the disk. */
export const sizeAndChecksumOf = async (file: string): Promise<Pick<BackupManifest, 'bytes' | 'sha256'>> => {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(file) as AsyncIterable<Buffer>) hash.update(chunk);
  return { bytes: (await stat(file)).size, sha256: hash.digest('hex') };
};

/** Writes a manifest to the disk. */
export const writeBackupManifest = (backup: string, manifest: BackupManifest): void =>
  writeFileAtomically(manifestFileOf(backup), `${JSON.stringify(manifest, null, 2)}\n`);

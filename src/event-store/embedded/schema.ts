import { START_POSITION, type Position } from '../port.ts';

/**
 * The tables of `events.db`. Any SQLite tool can read them while the service runs:
 *
 *     sqlite3 -readonly data/events.db "SELECT position, stream, type, data FROM events ORDER BY position DESC LIMIT 5"
 */
export const EVENTS_DATABASE_SCHEMA = `
CREATE TABLE IF NOT EXISTS events (
  position    INTEGER PRIMARY KEY,  -- in the whole log, from 1, without gaps
  stream      TEXT    NOT NULL,     -- <category>-<id>
  revision    INTEGER NOT NULL,     -- in the stream, from 0, without gaps
  id          TEXT    NOT NULL,     -- UUID
  type        TEXT    NOT NULL,     -- see docs/events.md
  version     INTEGER NOT NULL,     -- of the schema of data
  data        TEXT    NOT NULL,     -- JSON
  metadata    TEXT    NOT NULL,     -- JSON: $correlationId, $causationId, actor, requestId, recordedAt
  checksum    INTEGER,              -- CRC-32 of all of the above: docs/operating.md#checksums
  UNIQUE (stream, revision)
) STRICT;

CREATE TABLE IF NOT EXISTS receipts (
  key         TEXT    PRIMARY KEY,  -- hash of an Idempotency-Key and of those it belongs to
  fingerprint TEXT    NOT NULL,     -- hash of the request
  result      TEXT    NOT NULL,     -- JSON, what the answer is made of
  position    TEXT    NOT NULL,     -- of the last event that the request saw or caused
  expires_at  TEXT    NOT NULL      -- RFC 3339
) STRICT, WITHOUT ROWID;

CREATE INDEX IF NOT EXISTS receipts_by_expiry ON receipts (expires_at);
`;

/** The index that the UNIQUE of `events` makes. */
export const STREAM_INDEX_NAME = 'sqlite_autoindex_events_1';

/** Added to a file that was made before events had checksums; code of that time goes on writing to it. */
export const ADD_CHECKSUM_SQL = 'ALTER TABLE events ADD COLUMN checksum INTEGER';

/**
 * The position up to which every event has a checksum is the file's `user_version`, which changes in the transactions
 * of the file as any table does.
 */
export const CHECKSUMMED_UP_TO_PRAGMA = 'user_version';

/** Positions are INTEGERs in the file and text of a fixed width outside of it; 16 digits hold every safe integer. */
export const toPosition = (position: number): Position =>
  position === 0 ? START_POSITION : String(position).padStart(16, '0');
export const toPositionNumber = (position: Position): number => Number(position);

import type { EventLog, LogRecord, Position } from './port.ts';

export type OwnRecord = LogRecord & { readonly stream: string };

/** The record of this service's event at a position; undefined where there is none, or another service's stands there. */
export const ownRecordAt = async (
  log: Pick<EventLog, 'recordAt'>,
  position: Position,
): Promise<OwnRecord | undefined> => {
  const record = await log.recordAt(position);
  if (!record || record.stream === null) return undefined;
  const { stream } = record;
  return { ...record, stream };
};

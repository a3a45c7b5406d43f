import type { EventLog, LogEventHeader, Position } from './port.ts';

/** The record of this service's event at a position; undefined where none or another service's stands there. */
export const serviceRecordAt = async (
  log: Pick<EventLog, 'recordAt'>,
  position: Position,
): Promise<(LogEventHeader & { readonly stream: string }) | undefined> => {
  const record = await log.recordAt(position);
  return record?.stream == null ? undefined : { ...record, stream: record.stream };
};

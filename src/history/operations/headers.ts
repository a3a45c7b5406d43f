/** The header in which an administrator says why personal data is asked for, percent-encoded in UTF-8. */
export const PERSONAL_DATA_REASON_HEADER = 'Personal-Data-Reason';

/**
 * Of an answer that is no JSON object: the position up to which events were looked at, when the event there was
 * recorded, the time that was asked for, if one was, and the version of the code.
 */
export const POSITION_HEADER = 'History-Position';
export const RECORDED_AT_HEADER = 'History-Recorded-At';
export const AT_HEADER = 'History-At';
export const CODE_HEADER = 'History-Code';
/** Tells the scheme of masks, and masks of one secret from those of another; `none` with personal data. */
export const MASKS_HEADER = 'History-Masks';

/** Columns of masks, with commas between, that a statement compares with values, which means nothing. */
export const MASKED_CONDITIONS_HEADER = 'History-Masked-Conditions';

/** The media type of lines of JSON. */
export const NDJSON_MEDIA_TYPE = 'application/x-ndjson';
/** That of a report. */
export const HTML_MEDIA_TYPE = 'text/html';
/** Those of rows, beside lines of JSON. */
export const CSV_MEDIA_TYPE = 'text/csv';
export const PARQUET_MEDIA_TYPE = 'application/vnd.apache.parquet';

export type HistoryMediaType =
  typeof NDJSON_MEDIA_TYPE | typeof HTML_MEDIA_TYPE | typeof CSV_MEDIA_TYPE | typeof PARQUET_MEDIA_TYPE;

/** A number of bytes, as people read it: `19.2 MB`, `4.0 GB`. */
export const bytesText = (bytes: number): string =>
  bytes < 1e9 ? `${(bytes / 1e6).toFixed(1)} MB` : `${(bytes / 1e9).toFixed(1)} GB`;

const textOf = (value: unknown): string => {
  if (typeof value === 'string') return value;
  return value === undefined || value === null ? '' : JSON.stringify(value);
};
/** A cell that a spreadsheet would run as a formula begins with a quote. */
const cellOf = (value: unknown): string => {
  const text = textOf(value);
  const safe = typeof value === 'string' && /^[=+\-@\t\r\n]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
};

/** CSV of rows, with the names of their members as headings (RFC 4180). */
export const csvOf = (rows: readonly Readonly<Record<string, unknown>>[]): string => {
  const members = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  return [members, ...rows.map((row) => members.map((member) => row[member]))]
    .map((cells) => `${cells.map(cellOf).join(',')}\r\n`)
    .join('');
};

/** Has the browser save a file. */
export const download = (name: string, content: string | Blob, type = 'text/csv'): void => {
  const address = URL.createObjectURL(content instanceof Blob ? content : new Blob([content], { type }));
  const link = document.createElement('a');
  Object.assign(link, { href: address, download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
};

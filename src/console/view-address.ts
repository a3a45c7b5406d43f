/** Filters of a view, by their names; those that are empty are left out. */
export type ViewFilters = Readonly<Record<string, string | readonly string[] | boolean | undefined>>;

/** The address of a view of the console, from `#` on: the page's own address goes before it. */
export const viewAddress = (segments: readonly string[], filters: ViewFilters = {}): string => {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(filters))
    for (const each of Array.isArray(value) ? value : [value])
      if (each !== undefined && each !== '' && each !== false) query.append(name, String(each));
  const text = query.size > 0 ? `?${query.toString()}` : '';
  return `#/${segments.map(encodeURIComponent).join('/')}${text}`;
};

/** Filters of a view, by their names; those that are empty are left out. */
export type ViewFilters = Readonly<Record<string, string | number | readonly string[] | boolean | undefined>>;

/** A path and the query that says the filters. */
export const withQuery = (path: string, filters: ViewFilters): string => {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(filters))
    for (const each of Array.isArray(value) ? value : [value])
      if (each !== undefined && each !== '' && each !== false) query.append(name, String(each));
  return query.size > 0 ? `${path}?${query.toString()}` : path;
};

/** The address of a view of the console, from `#` on: the page's own address goes before it. */
export const toHashRoute = (segments: readonly string[], filters: ViewFilters = {}): string =>
  withQuery(`#/${segments.map(encodeURIComponent).join('/')}`, filters);

/** The filters of the view of events, each an option of `hiring history search`; `order` is newest or oldest first. */
export const HISTORY_FILTERS = [
  'type',
  'entity',
  'stream',
  'actor',
  'correlationId',
  'where',
  'from',
  'to',
  'order',
] as const;

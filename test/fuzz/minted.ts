import { jsonText, type FuzzRequest, type Pair } from './request.ts';

const PLACE = /minted-([A-Za-z]+)-([a-z0-9]+)/g;
const MAX_REMEMBERED = 5_000;

/** The place in a plan of a value that the service makes; its form is that of an identifier. */
export const placeOf = (member: string, key: string): string => `minted-${member}-${key}`;

/** What the service has made so far, by the places in the plan. */
export const createMinted = () => {
  const known = new Map<string, string>();
  /** With values in their places; `none` where the service has made none. */
  const filled = (text: string): string => text.replaceAll(PLACE, (place) => known.get(place) ?? 'none');
  const filledPair = ([name, value]: Pair): Pair => [name, filled(value)];

  return {
    remember(member: string, key: string, value: string): void {
      const place = placeOf(member, key);
      // The newest last.
      known.delete(place);
      known.set(place, value);
      if (known.size > MAX_REMEMBERED) known.delete(known.keys().next().value ?? '');
    },
    /** A request as it is sent. */
    filled: (request: FuzzRequest): FuzzRequest => ({
      ...request,
      path: filled(request.path),
      query: request.query.map(filledPair),
      headers: request.headers.map(filledPair),
      ...(request.json === undefined || request.bytes ? {} : { bytes: Buffer.from(filled(jsonText(request.json))) }),
    }),
  };
};
export type Minted = ReturnType<typeof createMinted>;

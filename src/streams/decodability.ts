import type { EventDefinition } from './events.ts';

/** What the decoder makes of an event, by type and version alone. */
export type DecodingOutcome = 'readable' | 'upcast' | 'newer' | 'no-upcaster' | 'unknown-type';

export interface Decodability {
  readonly reading: DecodingOutcome;
  /** The newest version in the code; null for an unknown type. */
  readonly codeVersion: number | null;
}

/** Whether this code can decode such events. */
export const isDecodable = ({ reading }: { readonly reading: string }): boolean =>
  reading === 'readable' || reading === 'upcast';

/** Tells by type and version what `createDecoder` does with an event. */
export const createDecodabilityLookup = (
  definitions: readonly EventDefinition[],
): ((type: string, version: number) => Decodability) => {
  const known = new Map(definitions.map((definition) => [definition.type, definition]));
  return (type, version) => {
    const definition = known.get(type);
    if (!definition) return { reading: 'unknown-type', codeVersion: null };
    const { version: codeVersion, upcasters } = definition;
    if (version > codeVersion) return { reading: 'newer', codeVersion };
    for (let from = version; from < codeVersion; from++)
      if (!upcasters[from]) return { reading: 'no-upcaster', codeVersion };
    return { reading: version === codeVersion ? 'readable' : 'upcast', codeVersion };
  };
};

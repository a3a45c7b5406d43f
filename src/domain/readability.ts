import type { EventDefinition } from '../streams/events.ts';

/** What the decoder makes of an event, by type and version alone. */
export type Decoding = 'readable' | 'upcast' | 'newer' | 'no-upcaster' | 'unknown-type';

export interface Readability {
  readonly reading: Decoding;
  /** The newest version in the code; null for an unknown type. */
  readonly codeVersion: number | null;
}

/** Whether this code can decode such events. */
export const isReadable = ({ reading }: { readonly reading: string }): boolean =>
  reading === 'readable' || reading === 'upcast';

/** Tells by type and version what `decoder` does with an event. */
export const readabilityBy = (
  definitions: readonly EventDefinition[],
): ((type: string, version: number) => Readability) => {
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

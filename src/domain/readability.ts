import type { EventDefinition } from './events.ts';

/** What becomes of an event when it is read: of a type and version, without a look at its data. */
export type Reading = 'readable' | 'upcast' | 'newer' | 'no-upcaster' | 'unknown-type';

export interface Readability {
  readonly reading: Reading;
  /** The newest version that the code knows; null for a type that it does not know. */
  readonly codeVersion: number | null;
}

/** Whether the code can do anything with events of this reading. */
export const isReadable = ({ reading }: Readability): boolean =>
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

import { Metadata, type EventDefinition, type EventOf } from './events.ts';
import type { RecordedEvent } from '../event-store/port.ts';
import { createValidator, type Validator } from '../schema/validation.ts';

const checkMetadata = createValidator(Metadata, 'metadata');

/**
 * Makes a decoder of recorded events, which upcasts old versions and checks the result against its schema.
 *
 * @returns a function that gives the event, or undefined for none of the given types. It throws when the event's
 *   version is newer than this code or has no upcaster, when its data does not fit its schema, or when this service did
 *   not write it.
 */
export const createDecoder = <D extends EventDefinition>(definitions: readonly D[]) => {
  const known = new Map<string, { readonly definition: D; readonly check: Validator<unknown> }>(
    definitions.map((definition) => [definition.type, { definition, check: createValidator(definition.data, 'data') }]),
  );
  return (event: RecordedEvent): EventOf<D> | undefined => {
    const entry = known.get(event.type);
    if (!entry) return undefined;
    const { definition, check } = entry;
    const fail = (reason: string): never => {
      throw new Error(`Event ${event.type} at position ${event.position} cannot be read: ${reason}`);
    };
    if (event.foreign !== undefined) fail(event.foreign);
    if (event.version > definition.version)
      fail(`its version ${event.version} is newer than this code's ${definition.version}`);
    let data = event.data;
    for (let version = event.version; version < definition.version; version++) {
      const upcast = definition.upcasters[version] ?? (() => fail(`there is no upcaster from version ${version}`));
      data = upcast(data);
    }
    const checked = check(data);
    if (!checked.ok) fail(checked.message);
    const metadata = checkMetadata(event.metadata);
    if (!metadata.ok) return fail(metadata.message);
    const decoded = { type: event.type, data, metadata: metadata.value };
    // The checks above make this cast true.
    return decoded as EventOf<D>;
  };
};

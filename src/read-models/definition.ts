import { canonicalJson } from '../schema/json.ts';
import type { ProjectionIdentity } from './port.ts';

/** What documents are made with, as text. Documents of another definition or storage layout are rebuilt. */
export const definitionOf = (layout: number, { version, collections }: ProjectionIdentity): string =>
  canonicalJson({ layout, version, collections });

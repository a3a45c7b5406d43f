import { canonicalJson } from '../schema/json.ts';
import type { ProjectionIdentity } from './port.ts';

/** What documents are made with, as text: those of another definition, or of another layout of the store, are built anew. */
export const definitionOf = (layout: number, { version, collections }: ProjectionIdentity): string =>
  canonicalJson({ layout, version, collections });

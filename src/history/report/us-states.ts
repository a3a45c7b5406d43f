import { createRequire } from 'node:module';
import { geoBounds, geoContains, type GeoPermissibleObjects } from 'd3-geo';
import type { Feature, MultiPolygon, Polygon } from 'geojson';
import { feature, mesh } from 'topojson-client';
import type { GeometryCollection, Topology } from 'topojson-specification';
import type { Coordinates } from '../../domain/saved-postings.ts';

/** The states of the USA, from the Census Bureau's cartographic boundary files as the package `us-atlas` has them. */
type Atlas = Topology<{
  readonly states: GeometryCollection<{ readonly name: string }>;
  readonly nation: GeometryCollection;
}>;

// A file of the package, whose layout its documentation tells.
const atlas = createRequire(import.meta.url)('us-atlas/states-10m.json') as Atlas;

export const land: GeoPermissibleObjects = feature(atlas, atlas.objects.nation);
/** Lines between states, each once. */
export const borders: GeoPermissibleObjects = mesh(atlas, atlas.objects.states, (a, b) => a !== b);

type State = Feature<Polygon | MultiPolygon, { readonly name: string }>;

const states = feature(atlas, atlas.objects.states).features.map((each) => {
  // The atlas has areas alone.
  const state = each as State;
  return { state, bounds: geoBounds(state) };
});

/** The name of the state that a place lies in; undefined outside of the USA. */
export const stateAt = ({ latitude, longitude }: Coordinates): string | undefined => {
  const isNear = ([[west, south], [east, north]]: (typeof states)[number]['bounds']) =>
    latitude >= south &&
    latitude <= north &&
    // Alaska reaches across the date line.
    (west <= east ? longitude >= west && longitude <= east : longitude >= west || longitude <= east);
  return states.find(({ state, bounds }) => isNear(bounds) && geoContains(state, [longitude, latitude]))
    ?.state.properties.name;
};

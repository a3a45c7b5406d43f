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

// The documentation of the package describes this file.
const atlas = createRequire(import.meta.url)('us-atlas/states-10m.json') as Atlas;

export const usLandGeoJson: GeoPermissibleObjects = feature(atlas, atlas.objects.nation);
/** Lines between states, each once. */
export const stateBordersGeoJson: GeoPermissibleObjects = mesh(atlas, atlas.objects.states, (a, b) => a !== b);

type State = Feature<Polygon | MultiPolygon, { readonly name: string }>;

const states = feature(atlas, atlas.objects.states).features.map((each) => {
  // The atlas has areas alone.
  const state = each as State;
  return { state, bounds: geoBounds(state) };
});

type Bounds = (typeof states)[number]['bounds'];

const isWithin = ([[west, south], [east, north]]: Bounds, { latitude, longitude }: Coordinates): boolean =>
  latitude >= south &&
  latitude <= north &&
  // Alaska reaches across the date line.
  (west <= east ? longitude >= west && longitude <= east : longitude >= west || longitude <= east);

const stateExactlyAt = (place: Coordinates): string | undefined =>
  states.find(({ state, bounds }) => isWithin(bounds, place) && geoContains(state, [place.longitude, place.latitude]))
    ?.state.properties.name;

/** Degrees; about 14 miles from north to south. Outlines are coarse, and places in a harbour are at its city. */
const NEAR = 0.2;
const AROUND = [
  [1, 0],
  [0, 1],
  [-1, 0],
  [0, -1],
  [1, 1],
  [-1, 1],
  [-1, -1],
  [1, -1],
] as const;

/** The name of the state that a place lies in, or next to; undefined elsewhere. */
export const usStateNameNear = (place: Coordinates): string | undefined => {
  const exactly = stateExactlyAt(place);
  if (exactly !== undefined) return exactly;
  for (const [north, east] of AROUND) {
    const { latitude, longitude } = place;
    const near = stateExactlyAt({ latitude: latitude + north * NEAR, longitude: longitude + east * NEAR });
    if (near !== undefined) return near;
  }
  return undefined;
};

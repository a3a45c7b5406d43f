/** What names, places and descriptions of a world are drawn from. */

import cities from '#seed/cities.json' with { type: 'json' };

/**
 * Real cities, each with its centre's coordinates and a postal code and an area code in use there, along a round trip
 * of the United States: neighbours in the list are neighbours on the map.
 */
export { cities };
export type City = (typeof cities)[number];

/**
 * Professions with their shares of all professionals and postings in percent, and their pay in US dollars for an hour
 * or a day: its middle is near the median of the US Bureau of Labor Statistics (Occupational Employment and Wage
 * Statistics). Days of schedules are those of the week, 0 is Sunday.
 */
export { default as dental } from '#seed/dental.json' with { type: 'json' };

export { default as names } from '#seed/names.json' with { type: 'json' };

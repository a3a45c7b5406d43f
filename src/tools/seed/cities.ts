import { list, mapSeveral, type Several } from './random.ts';

/** A real city: its centre's coordinates, and a postal code and an area code in use there. */
const cityIn = (row: string) => {
  const [name = '', state = '', latitude, longitude, postalCode = '', areaCode = ''] = row.split(', ');
  return { name, state, latitude: Number(latitude), longitude: Number(longitude), postalCode, areaCode };
};
export type City = ReturnType<typeof cityIn>;

const rows = list(
  `Boston, MA, 42.3601, -71.0589, 02108, 617; Providence, RI, 41.824, -71.4128, 02903, 401;
  Hartford, CT, 41.7658, -72.6734, 06103, 860; New York, NY, 40.7128, -74.006, 10007, 212;
  Newark, NJ, 40.7357, -74.1724, 07102, 973; Philadelphia, PA, 39.9526, -75.1652, 19107, 215;
  Baltimore, MD, 39.2904, -76.6122, 21202, 410; Washington, DC, 38.9072, -77.0369, 20001, 202;
  Richmond, VA, 37.5407, -77.436, 23219, 804; Virginia Beach, VA, 36.8529, -75.978, 23451, 757;
  Raleigh, NC, 35.7796, -78.6382, 27601, 919; Charlotte, NC, 35.2271, -80.8431, 28202, 704;
  Columbia, SC, 34.0007, -81.0348, 29201, 803; Atlanta, GA, 33.749, -84.388, 30303, 404;
  Jacksonville, FL, 30.3322, -81.6557, 32202, 904; Orlando, FL, 28.5383, -81.3792, 32801, 407;
  Miami, FL, 25.7617, -80.1918, 33130, 305; Tampa, FL, 27.9506, -82.4572, 33602, 813;
  Birmingham, AL, 33.5186, -86.8104, 35203, 205; Nashville, TN, 36.1627, -86.7816, 37203, 615;
  Memphis, TN, 35.1495, -90.049, 38103, 901; Little Rock, AR, 34.7465, -92.2896, 72201, 501;
  New Orleans, LA, 29.9511, -90.0715, 70112, 504; Houston, TX, 29.7604, -95.3698, 77002, 713;
  San Antonio, TX, 29.4241, -98.4936, 78205, 210; Austin, TX, 30.2672, -97.7431, 78701, 512;
  Fort Worth, TX, 32.7555, -97.3308, 76102, 817; Dallas, TX, 32.7767, -96.797, 75201, 214;
  Oklahoma City, OK, 35.4676, -97.5164, 73102, 405; Tulsa, OK, 36.154, -95.9928, 74103, 918;
  Kansas City, MO, 39.0997, -94.5786, 64106, 816; St. Louis, MO, 38.627, -90.1994, 63101, 314;
  Louisville, KY, 38.2527, -85.7585, 40202, 502; Cincinnati, OH, 39.1031, -84.512, 45202, 513;
  Columbus, OH, 39.9612, -82.9988, 43215, 614; Pittsburgh, PA, 40.4406, -79.9959, 15222, 412;
  Buffalo, NY, 42.8864, -78.8784, 14202, 716; Cleveland, OH, 41.4993, -81.6944, 44113, 216;
  Detroit, MI, 42.3314, -83.0458, 48226, 313; Indianapolis, IN, 39.7684, -86.1581, 46204, 317;
  Chicago, IL, 41.8781, -87.6298, 60602, 312; Milwaukee, WI, 43.0389, -87.9065, 53202, 414;
  Minneapolis, MN, 44.9778, -93.265, 55401, 612; Des Moines, IA, 41.5868, -93.625, 50309, 515;
  Omaha, NE, 41.2565, -95.9345, 68102, 402; Denver, CO, 39.7392, -104.9903, 80202, 303;
  Albuquerque, NM, 35.0844, -106.6504, 87102, 505; Tucson, AZ, 32.2226, -110.9747, 85701, 520;
  Phoenix, AZ, 33.4484, -112.074, 85004, 602; San Diego, CA, 32.7157, -117.1611, 92101, 619;
  Los Angeles, CA, 34.0522, -118.2437, 90012, 213; Las Vegas, NV, 36.1716, -115.1391, 89101, 702;
  Fresno, CA, 36.7378, -119.7871, 93721, 559; San Jose, CA, 37.3382, -121.8863, 95113, 408;
  San Francisco, CA, 37.7749, -122.4194, 94102, 415; Sacramento, CA, 38.5816, -121.4944, 95814, 916;
  Portland, OR, 45.5152, -122.6784, 97204, 503; Seattle, WA, 47.6062, -122.3321, 98101, 206;
  Boise, ID, 43.615, -116.2023, 83702, 208; Salt Lake City, UT, 40.7608, -111.891, 84101, 801`,
  /;\s+/,
);

/** Along a round trip of the United States: neighbours in the list are neighbours on the map. */
export const cities: Several<City> = mapSeveral(rows, cityIn);

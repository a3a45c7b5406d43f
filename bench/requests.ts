import { headersFor } from './credentials.ts';
import type { Request, Source } from './load/spec.ts';
import type { Population, Posting, Professional } from './population.ts';

/** How many different requests a load of reads takes its turns with. */
const MOST = 200;
/** What all lists of the benchmarks ask for. */
export const PAGE_SIZE = 15;

const get = (path: string, headers: Record<string, string>): Request => ({ method: 'GET', path, headers });

const officeOf = ({ officeId }: Posting) => headersFor({ sub: `user-of-${officeId}`, office_id: officeId });
const admin = () => headersFor({ sub: 'bench-admin', roles: ['admin'] });
const professionalOf = ({ id, userId }: Professional) => headersFor({ sub: userId, professional_id: id });

/** The path of one page of a posting's candidates; the posting's owner may read it. */
const pageForOffice = async (posting: Posting): Promise<Request> =>
  get(`/postings/${posting.id}/candidates?pageSize=${PAGE_SIZE}`, await officeOf(posting));

/** The same for administrators. */
const pageForAdmin = async (posting: Posting): Promise<Request> =>
  get(`/admin/postings/${posting.id}/candidates?pageSize=${PAGE_SIZE}`, await admin());

/** Postings that fill a page but are not out of the ordinary, so that answers are as long in every world. */
const ordinary = ({ postings }: Population) =>
  postings.filter(({ candidates }) => candidates >= PAGE_SIZE && candidates <= 10 * PAGE_SIZE).slice(-MOST);

/** Professionals who all have the same number of something, so that answers are as long in every world. */
const alike = ({ professionals }: Population, count: 'candidates' | 'saved') =>
  professionals.filter((professional) => professional[count] === 3).slice(0, MOST);

/** The same requests, by clients that have what a service answers. */
export const withEtags = (url: string, requests: readonly Request[]): Promise<Request[]> =>
  Promise.all(
    requests.map(async (request) => {
      const response = await fetch(url + request.path, { headers: request.headers });
      await response.arrayBuffer();
      const etag = response.headers.get('ETag');
      if (etag === null) throw new Error(`GET ${request.path} was answered without an ETag`);
      return { ...request, headers: { ...request.headers, 'If-None-Match': etag } };
    }),
  );

export interface ReadOperation {
  readonly name: string;
  /** Its path, as @koa/router takes it. */
  readonly route: string;
  /** Different requests for it, each with a page of 15. */
  readonly requestsIn: (population: Population) => Promise<Request[]>;
}

/** The lists of the interface specification, 4.2, 4.4, 4.6 and 4.7. */
export const readOperations: readonly ReadOperation[] = [
  {
    name: 'getPostingCandidates',
    route: '/postings/:postingId/candidates',
    requestsIn: (population) => Promise.all(ordinary(population).map((posting) => pageForOffice(posting))),
  },
  {
    name: 'getPostingCandidatesByAdmin',
    route: '/admin/postings/:postingId/candidates',
    requestsIn: (population) => Promise.all(ordinary(population).map((posting) => pageForAdmin(posting))),
  },
  {
    name: 'getSavedPostings',
    route: '/postings/saved',
    requestsIn: (population) =>
      Promise.all(
        alike(population, 'saved').map(async (professional) =>
          get(`/postings/saved?pageSize=${PAGE_SIZE}`, await professionalOf(professional)),
        ),
      ),
  },
  {
    name: 'getProfessionalCandidates',
    route: '/professionals/candidates',
    requestsIn: (population) =>
      Promise.all(
        alike(population, 'candidates').map(async (professional) =>
          get(`/professionals/candidates?category=active&pageSize=${PAGE_SIZE}`, await professionalOf(professional)),
        ),
      ),
  },
];

/** Every list's requests, for a load that takes them in turns. */
export const readSources = (population: Population): Promise<Source[]> =>
  Promise.all(
    readOperations.map(async ({ requestsIn }): Promise<Source> => ({
      kind: 'repeated',
      requests: await requestsIn(population),
    })),
  );

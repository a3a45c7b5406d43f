import {
  estimateRoadRoute,
  greatCircleDistance,
  haveSameEnds,
  officeCoordinates,
  professionalCoordinates,
  type CommuteEnds,
} from '../../src/domain/commute.ts';
import type { ReplayProjection } from '../../src/history/replay/projection.ts';

/**
 * How far do people travel? Applications and hires by the miles along roads from the professional to the office, as a
 * road router measured them, or estimated. Where people live is personal data.
 */

interface Application {
  readonly professionalId: string;
  readonly postingId: string;
  isHired: boolean;
}

interface State {
  readonly homes: Map<string, ReturnType<typeof professionalCoordinates>>;
  readonly officePlaces: Map<string, ReturnType<typeof officeCoordinates>>;
  /** The office of each posting. */
  readonly offices: Map<string, string>;
  /** By professional and posting. */
  readonly measured: Map<string, CommuteEnds & { readonly miles: number }>;
  /** By candidate. */
  readonly applications: Map<string, Application>;
}

const ranges = [
  { miles: 'up to 10', upTo: 10 },
  { miles: '10 to 25', upTo: 25 },
  { miles: '25 to 50', upTo: 50 },
  { miles: 'over 50', upTo: Infinity },
];

/** Miles along roads; undefined where a place is not known. */
const milesOf = (state: State, { professionalId, postingId }: Application): number | undefined => {
  const from = state.homes.get(professionalId);
  const to = state.officePlaces.get(state.offices.get(postingId) ?? '');
  if (!from || !to) return undefined;
  const way = state.measured.get(`${professionalId}/${postingId}`);
  // Either may have moved since it was measured.
  return way && haveSameEnds(way, { from, to })
    ? way.miles
    : estimateRoadRoute(greatCircleDistance(from, to)).roadDistance;
};

export default {
  personalData: true,
  columns: { miles: 'VARCHAR', applications: 'BIGINT', hires: 'BIGINT' },
  init: () => ({
    homes: new Map(),
    officePlaces: new Map(),
    offices: new Map(),
    measured: new Map(),
    applications: new Map(),
  }),
  handlers: {
    OfficeRecorded({ data }, { officePlaces }) {
      officePlaces.set(data.officeId, officeCoordinates(data));
    },
    ProfessionalRecorded({ data }, { homes }) {
      homes.set(data.professionalId, professionalCoordinates(data));
    },
    PostingRecorded({ data }, { offices }) {
      offices.set(data.postingId, data.officeId);
    },
    CommuteMeasured({ data: { professionalId, postingId, from, to, roadDistance } }, { measured }) {
      measured.set(`${professionalId}/${postingId}`, { from, to, miles: roadDistance });
    },
    CandidateApplied({ data: { candidateId, professionalId, postingId } }, { applications }) {
      applications.set(candidateId, { professionalId, postingId, isHired: false });
    },
    CandidateHired({ data }, { applications }) {
      const application = applications.get(data.candidateId);
      if (application) application.isHired = true;
    },
  },
  *rows(state) {
    const counts = [...ranges, { miles: 'not known', upTo: undefined }].map(({ miles, upTo }) => ({
      upTo,
      row: { miles, applications: 0, hires: 0 },
    }));
    for (const application of state.applications.values()) {
      const miles = milesOf(state, application);
      const isIn = (upTo: number | undefined) =>
        miles === undefined ? upTo === undefined : upTo !== undefined && miles <= upTo;
      const found = counts.find(({ upTo }) => isIn(upTo));
      if (!found) continue;
      found.row.applications++;
      if (application.isHired) found.row.hires++;
    }
    for (const { row } of counts) yield row;
  },
} satisfies ReplayProjection<State>;

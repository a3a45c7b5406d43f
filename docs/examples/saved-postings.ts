import type { ReplayProjection } from '../../src/history/replay/projection.ts';

/** What becomes of saved postings? Each counts once for each professional; an application before the save is none. */

const outcomes = ['hired', 'applied', 'taken off the list', 'closed', 'still saved'] as const;
type Outcome = (typeof outcomes)[number];

interface Save {
  readonly postingId: string;
  became: Exclude<Outcome, 'closed'>;
}

interface State {
  /** By professional and posting. */
  readonly saves: Map<string, Save>;
  readonly closed: Set<string>;
}

interface Pair {
  readonly professionalId: string;
  readonly postingId: string;
}

const keyOf = ({ professionalId, postingId }: Pair): string => `${professionalId}/${postingId}`;

/** A save becomes something, if it is what can become that. */
const become = ({ saves }: State, pair: Pair, from: Save['became'], to: Save['became']): void => {
  const save = saves.get(keyOf(pair));
  if (save?.became === from) save.became = to;
};

export default {
  init: () => ({ saves: new Map(), closed: new Set() }),
  handlers: {
    PostingSaved({ data }, state) {
      const { postingId } = data;
      if (!state.saves.has(keyOf(data))) state.saves.set(keyOf(data), { postingId, became: 'still saved' });
      become(state, data, 'taken off the list', 'still saved');
    },
    PostingUnsaved({ data }, state) {
      become(state, data, 'still saved', 'taken off the list');
    },
    CandidateApplied({ data }, state) {
      become(state, data, 'still saved', 'applied');
    },
    CandidateHired({ data }, state) {
      become(state, data, 'applied', 'hired');
    },
    PostingClosed({ data }, { closed }) {
      closed.add(data.postingId);
    },
  },
  *rows({ saves, closed }) {
    const isLeft = ({ became }: Save) => became === 'still saved';
    const all = [...saves.values()].map((save): Outcome =>
      isLeft(save) && closed.has(save.postingId) ? 'closed' : save.became,
    );
    for (const became of outcomes) {
      const count = all.filter((each) => each === became).length;
      yield { became, saves: count, percent: all.length > 0 ? Math.round((count / all.length) * 100) : null };
    }
  },
} satisfies ReplayProjection<State>;

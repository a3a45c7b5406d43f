import { runClosedLoad } from '../load/closed.ts';
import { runPacedLoad } from '../load/paced.ts';
import { LoadSpec } from '../load/spec.ts';
import { answerParent } from './answering.ts';

/** The process that all load comes from, so that making it takes no time from the servers' event loops. */
answerParent(LoadSpec, (spec) =>
  spec.rate === undefined ? runClosedLoad(spec) : runPacedLoad({ ...spec, rate: spec.rate }),
);

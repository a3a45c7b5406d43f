import { commands } from '../../commands/index.ts';
import { projections } from '../../projections/index.ts';
import { queries } from '../../queries/index.ts';
import type { Domain } from '../app/options.ts';
import { projectionAdmin } from '../builds/admin.ts';
import { historyQuestions } from '../history/operations/index.ts';
import { workerOf } from '../lib/worker-client.ts';
import { webhookReads } from '../webhooks/reads.ts';

/** The business of this service. */
export const hiring: Domain = {
  title: 'Hiring service',
  description:
    'Professionals, postings and candidates in dental staffing. The interface grows by addition; a breaking change would be served under /v2.',
  commands,
  queries,
  admin: { ...projectionAdmin, operations: [...projectionAdmin.operations, ...webhookReads] },
  questions: historyQuestions,
  projections,
  startProjector: workerOf(new URL('./projector.thread.js', import.meta.url)),
};

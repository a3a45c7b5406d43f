import { ask, type Question } from './ask.ts';
import type { Shown } from './work-plan.ts';
import { claimsOf } from './world.ts';

const FINAL = new Set(['hired', 'rejected']);

const questionOf = (shown: Shown): Question => {
  const as = claimsOf(shown.professional);
  if (shown.kind === 'saved') return { method: 'GET', path: '/postings/saved?pageSize=100', as };
  const category = FINAL.has(shown.status) ? 'archived' : 'active';
  return { method: 'GET', path: `/professionals/candidates?category=${category}&pageSize=100`, as };
};

/** Whether a read that carries a write's token shows it; undefined without an answer, which is allowed. */
export const isShown = async (url: string | undefined, shown: Shown, token: string): Promise<boolean | undefined> => {
  const question = { ...questionOf(shown), headers: { 'Consistency-Token': token } };
  const reply = await ask(url, question);
  if (reply?.status !== 200) return undefined;
  const { data } = reply.body as { readonly data: readonly { id: string; officeStatus?: string }[] };
  return shown.kind === 'saved'
    ? data.some(({ id }) => id === shown.posting) === shown.isSaved
    : data.find(({ id }) => id === shown.candidate)?.officeStatus === shown.status;
};

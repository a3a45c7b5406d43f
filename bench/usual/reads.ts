import type Router from '@koa/router';
import createError from 'http-errors';
import { Type } from '../../src/schema/typebox.ts';
import { emptySavedPostingSummary, type SavedPostingSummary } from '../../projections/parts/saved-posting-summary.ts';
import { zeroTabCounts, sumTabCounts, type PostingTabs } from '../../projections/parts/posting-tabs.ts';
import type { PostingCandidate } from '../../projections/posting-candidates.ts';
import type { ProfessionalCandidate } from '../../projections/professional-candidates.ts';
import type { SavedPosting, LastUnsave } from '../../projections/saved-postings.ts';
import { toAdminPostingCandidateRow as toAdminRow } from '../../queries/admin-posting-candidates.ts';
import { toPostingCandidateRow as toOfficeRow } from '../../queries/posting-candidates.ts';
import { toProfessionalCandidateRow as toProfessionalRow } from '../../queries/professional-candidates.ts';
import { isAdmin, professionalOf, type State } from './authenticate.ts';
import type { Database } from './database.ts';
import { selectAll, selectOne, selectValue } from './statements.ts';
import { validator } from './validate.ts';

const paging = (pageSize: number) => ({
  page: Type.Integer({ minimum: 1, default: 1 }),
  pageSize: Type.Integer({ minimum: 1, maximum: 100, default: pageSize }),
});
const postingOf = validator('path', Type.Object({ postingId: Type.String({ pattern: '^[\\w.~-]{1,128}$' }) }));
const pageOf = validator('query', Type.Object(paging(15)));
const adminPageOf = validator('query', Type.Object(paging(10)));
const categoryOf = validator('query', Type.Object({ category: Type.Enum(['active', 'archived']), ...paging(15) }));

const statusesOf = { active: "'applied', 'scheduled', 'interviewed'", archived: "'hired', 'closed'" } as const;

/** The candidates of a posting, for its office and for administrators, each in the order that is the list's own. */
const candidatesOfPostings = (router: Router<State>, { connection, table }: Database): void => {
  const tabsOf = selectOne<PostingTabs>(connection, `SELECT id, document FROM ${table('posting_tabs')} WHERE id = ?`);
  const shortlistedFirst = selectAll<PostingCandidate>(
    connection,
    `SELECT id, document FROM ${table('posting_candidates')} WHERE postingId = ?
     ORDER BY document ->> 'shortlisted' DESC, document ->> 'appliedAt' DESC, id LIMIT ? OFFSET ?`,
  );
  const newestFirst = selectAll<PostingCandidate>(
    connection,
    `SELECT id, document FROM ${table('posting_candidates')} WHERE postingId = ?
     ORDER BY document ->> 'appliedAt' DESC, id LIMIT ? OFFSET ?`,
  );

  router.get('/postings/:postingId/candidates', (ctx) => {
    const { postingId } = postingOf(ctx.params);
    const { page, pageSize } = pageOf({ ...ctx.query });
    const tabs = tabsOf(postingId);
    if (!isAdmin(ctx.state) && tabs?.officeId !== ctx.state.user.office_id)
      throw createError(403, "The posting is not the office's");
    const counts = tabs?.counts ?? zeroTabCounts;
    const total = sumTabCounts(counts);
    ctx.body = {
      data: shortlistedFirst(postingId, pageSize, (page - 1) * pageSize).map(toOfficeRow),
      metadata: { tabs: { all: total, ...counts } },
      pagination: { page, pageSize, total },
    };
  });

  router.get('/admin/postings/:postingId/candidates', (ctx) => {
    const { postingId } = postingOf(ctx.params);
    const { page, pageSize } = adminPageOf({ ...ctx.query });
    if (!isAdmin(ctx.state)) throw createError(403, 'The token names no role admin');
    ctx.body = {
      data: newestFirst(postingId, pageSize, (page - 1) * pageSize).map(toAdminRow),
      page,
      pageSize,
      total: sumTabCounts(tabsOf(postingId)?.counts),
    };
  });
};

/** The postings that a professional saved. */
const savedPostings = (router: Router<State>, { connection, table }: Database): void => {
  const saved = table('saved_postings');
  const newestFirst = selectAll<SavedPosting>(
    connection,
    `SELECT id, document FROM ${saved} WHERE professionalId = ?
     ORDER BY document ->> 'savedAt' DESC, postingId LIMIT ? OFFSET ?`,
  );
  const countOf = selectValue<number>(connection, `SELECT count(*) FROM ${saved} WHERE professionalId = ?`);
  const asOfOf = selectValue<string | null>(
    connection,
    `SELECT max(document ->> 'asOf') FROM ${saved} WHERE professionalId = ?`,
  );
  const listOf = selectOne<LastUnsave>(
    connection,
    `SELECT id, document FROM ${table('saved_posting_lists')} WHERE id = ?`,
  );
  const summaryOf = selectOne<SavedPostingSummary>(
    connection,
    `SELECT id, document FROM ${table('saved_posting_summaries')} WHERE id = ?`,
  );

  router.get('/postings/saved', (ctx) => {
    const { page, pageSize } = pageOf({ ...ctx.query });
    const id = professionalOf(ctx.state);
    const [asOf, changedAt] = [asOfOf(id) ?? '', listOf(id)?.changedAt ?? ''];
    ctx.body = {
      data: newestFirst(id, pageSize, (page - 1) * pageSize).map(({ doc }) => doc.row),
      metadata: { asOf: (asOf > changedAt ? asOf : changedAt) || null },
      pagination: { page, pageSize, total: countOf(id) },
      summary: summaryOf(id) ?? emptySavedPostingSummary,
    };
  });
};

/** The candidates that a professional submitted, the newest first. */
const candidatesOfProfessionals = (router: Router<State>, { connection, table }: Database): void => {
  const statements = (statuses: string) => {
    const wanted = `FROM ${table('professional_candidates')}
      WHERE professionalId = ? AND document ->> 'professionalStatus' IN (${statuses})`;
    return {
      newestFirst: selectAll<ProfessionalCandidate>(
        connection,
        `SELECT id, document ${wanted} ORDER BY document ->> 'appliedAt' DESC, id LIMIT ? OFFSET ?`,
      ),
      countOf: selectValue<number>(connection, `SELECT count(*) ${wanted}`),
    };
  };
  const by = { active: statements(statusesOf.active), archived: statements(statusesOf.archived) } as const;

  router.get('/professionals/candidates', (ctx) => {
    const { category, page, pageSize } = categoryOf({ ...ctx.query });
    const id = professionalOf(ctx.state);
    const { newestFirst, countOf } = by[category];
    ctx.body = {
      data: newestFirst(id, pageSize, (page - 1) * pageSize).map(toProfessionalRow),
      pagination: { page, pageSize, total: countOf(id) },
    };
  });
};

/** The four lists, by SQL over the rows of the read models, without filters and orders that no load asks for. */
export const addReads = (router: Router<State>, database: Database): void => {
  candidatesOfPostings(router, database);
  savedPostings(router, database);
  candidatesOfProfessionals(router, database);
};

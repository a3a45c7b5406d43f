import Database from 'libsql';
import { Type, type Static, type TSchema } from '../src/schema/typebox.ts';
import { join } from 'node:path';
import { parse } from '../src/schema/parse.ts';

const Posting = Type.Object({ id: Type.String(), officeId: Type.String(), candidates: Type.Integer() });
export type Posting = Static<typeof Posting>;

const Professional = Type.Object({
  id: Type.String(),
  userId: Type.String(),
  candidates: Type.Integer(),
  saved: Type.Integer(),
});
export type Professional = Static<typeof Professional>;

/** Who is in a world, read from its log. */
export interface Population {
  readonly events: number;
  readonly candidates: number;
  /** The one with the most candidates first. */
  readonly postings: readonly Posting[];
  readonly professionals: readonly Professional[];
}

const POSTINGS = `
  WITH applied AS (SELECT data ->> 'postingId' AS id, count(*) AS candidates
                   FROM events WHERE type = 'CandidateApplied' GROUP BY 1),
       recorded AS (SELECT data ->> 'postingId' AS id, data ->> 'officeId' AS officeId, max(position)
                    FROM events WHERE type = 'PostingRecorded' GROUP BY 1)
  SELECT id, officeId, coalesce(candidates, 0) AS candidates FROM recorded LEFT JOIN applied USING (id)
  ORDER BY candidates DESC, id`;

const PROFESSIONALS = `
  WITH applied AS (SELECT data ->> 'professionalId' AS id, count(*) AS candidates
                   FROM events WHERE type = 'CandidateApplied' GROUP BY 1),
       saves AS (SELECT data ->> 'professionalId' AS id, sum(iif(type = 'PostingSaved', 1, -1)) AS saved
                 FROM events WHERE type IN ('PostingSaved', 'PostingUnsaved') GROUP BY 1),
       recorded AS (SELECT data ->> 'professionalId' AS id, data ->> 'userId' AS userId, max(position)
                    FROM events WHERE type = 'ProfessionalRecorded' GROUP BY 1)
  SELECT id, userId, coalesce(candidates, 0) AS candidates, coalesce(saved, 0) AS saved
  FROM recorded LEFT JOIN applied USING (id) LEFT JOIN saves USING (id) ORDER BY id`;

/** Reads who is in a world. */
export const readPopulation = (world: string): Population => {
  const log = new Database(join(world, 'events.db'), { readonly: true });
  const rows = <S extends TSchema>(schema: S, sql: string) => parse(Type.Array(schema), log.prepare(sql).all(), 'rows');
  try {
    const postings = rows(Posting, POSTINGS);
    const [counted] = rows(Type.Object({ events: Type.Integer() }), 'SELECT count(*) AS events FROM events');
    return {
      events: counted?.events ?? 0,
      candidates: postings.reduce((sum, { candidates }) => sum + candidates, 0),
      postings,
      professionals: rows(Professional, PROFESSIONALS),
    };
  } finally {
    log.close();
  }
};

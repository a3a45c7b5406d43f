-- A time for which a professional had a posting saved.
WITH facts AS (
  SELECT professionalId, postingId, seq, recorded_at, true AS is_saved FROM PostingSaved
  UNION ALL SELECT professionalId, postingId, seq, recorded_at, false FROM PostingUnsaved
),
changes AS (
  SELECT * FROM facts
  QUALIFY is_saved IS DISTINCT FROM lag(is_saved) OVER (PARTITION BY professionalId, postingId ORDER BY seq)
)
SELECT
  professionalId AS professional_id, -- who saved
  postingId AS posting_id, -- what was saved
  recorded_at AS saved_at, -- when
  lead(recorded_at) OVER (PARTITION BY professionalId, postingId ORDER BY seq) AS unsaved_at -- until when; null: still
FROM changes
QUALIFY is_saved

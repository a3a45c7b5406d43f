-- How long an application stood in one state. A posting that is closed ends what waits.
WITH moves AS (
  SELECT candidateId, postingId, seq, recorded_at, 'applied' AS state FROM CandidateApplied
  UNION ALL SELECT candidateId, postingId, seq, recorded_at, 'scheduled' FROM InterviewScheduled
  UNION ALL SELECT candidateId, postingId, seq, recorded_at, 'applied' FROM InterviewCancelled
  UNION ALL SELECT candidateId, postingId, seq, recorded_at, 'interviewed' FROM InterviewHeld
  UNION ALL SELECT candidateId, postingId, seq, recorded_at, 'hired' FROM CandidateHired
  UNION ALL SELECT candidateId, postingId, seq, recorded_at, 'rejected' FROM CandidateRejected
),
changes AS (
  SELECT * FROM moves
  QUALIFY state IS DISTINCT FROM lag(state) OVER (PARTITION BY candidateId ORDER BY seq)
),
followed AS (
  SELECT *, lead(recorded_at) OVER candidate AS next_at, lead(state) OVER candidate AS next_state
  FROM changes WINDOW candidate AS (PARTITION BY candidateId ORDER BY seq)
),
closings AS (SELECT postingId, min(recorded_at) AS posting_closed_at FROM PostingClosed GROUP BY postingId)
SELECT
  candidateId AS candidate_id, -- the application
  postingId AS posting_id, -- the posting
  state, -- applied, scheduled, interviewed, hired or rejected
  recorded_at AS began_at, -- when it came into the state
  CASE WHEN is_closed THEN greatest(posting_closed_at, recorded_at) ELSE next_at END AS ended_at, -- when it left it; null: it is in it
  CASE WHEN is_closed THEN 'closed' ELSE next_state END AS ended_by -- the next state, or closed; null: it is in it
FROM (
  SELECT *, coalesce(state NOT IN ('hired', 'rejected') AND (next_at IS NULL OR next_at > posting_closed_at)
    AND posting_closed_at IS NOT NULL, false) AS is_closed
  FROM followed LEFT JOIN closings USING (postingId)
)

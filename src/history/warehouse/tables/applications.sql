-- An application of a professional to a posting, and what became of it.
WITH facts AS (
  SELECT * FROM stays
  UNION ALL BY NAME SELECT candidate_id, moves, cancelled_at FROM interviews
  UNION ALL BY NAME SELECT candidateId AS candidate_id, recorded_at AS shortlisted_at
  FROM CandidateShortlistChanged WHERE isShortlisted
),
reached AS (
  SELECT
    candidate_id,
    min(shortlisted_at) AS shortlisted_at,
    min(began_at) FILTER (state = 'scheduled') AS scheduled_at,
    min(began_at) FILTER (state = 'interviewed') AS interviewed_at,
    min(began_at) FILTER (state = 'hired') AS hired_at,
    min(began_at) FILTER (state = 'rejected') AS rejected_at,
    max(ended_at) FILTER (ended_by = 'closed') AS closed_at,
    any_value(state) FILTER (ended_at IS NULL) AS state,
    sum(moves) AS interviews_moved,
    count(cancelled_at) AS interviews_cancelled
  FROM facts GROUP BY candidate_id
),
saved AS (
  SELECT professional_id, posting_id, min(saved_at) AS saved_at FROM saves
  WHERE (professional_id, posting_id) IN (SELECT (professionalId, postingId) FROM CandidateApplied)
  GROUP BY professional_id, posting_id
)
SELECT
  candidateId AS candidate_id, -- the application; a professional has one for each posting
  postingId AS posting_id, -- the posting
  professionalId AS professional_id, -- who applied
  office_id, -- the posting's office; null: none was recorded
  profession, -- that the posting wants
  specialty, -- that the posting wants; null: any
  postings.state AS state, -- the state that the posting is in
  CASE WHEN saved_at < recorded_at THEN saved_at END AS saved_at, -- when the posting was first saved, if before applying
  recorded_at AS applied_at, -- when
  least(shortlisted_at, scheduled_at, interviewed_at, hired_at, rejected_at) AS first_answer_at, -- the first shortlisting, interview, hire or rejection
  shortlisted_at, -- when it was first put on the shortlist
  scheduled_at, -- when the office first invited
  interviewed_at, -- when an interview was first held
  hired_at, -- when the office hired
  rejected_at, -- when the office rejected
  CASE WHEN reached.state IS NULL THEN reached.closed_at END AS closed_at, -- when the posting's closing ended it; null: it did not
  CASE WHEN reached.state IN ('hired', 'rejected') THEN reached.state
    WHEN reached.state IS NULL THEN 'closed' ELSE 'open' END AS outcome, -- hired, rejected, closed or open
  coalesce(interviews_moved, 0) AS interviews_moved, -- how often an interview got another time
  coalesce(interviews_cancelled, 0) AS interviews_cancelled -- how many were called off
FROM CandidateApplied
LEFT JOIN postings ON posting_id = postingId
LEFT JOIN reached ON reached.candidate_id = candidateId
LEFT JOIN saved ON saved.professional_id = professionalId AND saved.posting_id = postingId

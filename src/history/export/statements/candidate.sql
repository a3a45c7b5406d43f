-- What an application is after each event that changes it: its own ones, and the closing of its posting.
WITH facts AS (
  SELECT candidateId AS id, seq, recorded_at, postingId, resumeId, 'applied' AS status, false AS isShortlisted,
    {'time': CAST(NULL AS TIMESTAMPTZ)} AS interview FROM CandidateApplied
  UNION ALL BY NAME
  SELECT candidateId AS id, seq, recorded_at, postingId, 'scheduled' AS status, {'time': interviewAt} AS interview FROM InterviewScheduled
  UNION ALL BY NAME
  SELECT candidateId AS id, seq, recorded_at, postingId, {'time': interviewAt} AS interview FROM InterviewMoved
  UNION ALL BY NAME
  SELECT candidateId AS id, seq, recorded_at, postingId, 'applied' AS status, {'time': CAST(NULL AS TIMESTAMPTZ)} AS interview FROM InterviewCancelled
  UNION ALL BY NAME
  SELECT candidateId AS id, seq, recorded_at, postingId, 'interviewed' AS status FROM InterviewHeld
  UNION ALL BY NAME
  SELECT candidateId AS id, seq, recorded_at, postingId, 'hired' AS status FROM CandidateHired
  UNION ALL BY NAME
  SELECT candidateId AS id, seq, recorded_at, postingId, 'rejected' AS status FROM CandidateRejected
  UNION ALL BY NAME
  SELECT candidateId AS id, seq, recorded_at, postingId, isShortlisted FROM CandidateShortlistChanged
  UNION ALL BY NAME
  SELECT candidateId AS id, closing.seq, closing.recorded_at, postingId, true AS is_closing
  FROM PostingClosed AS closing JOIN CandidateApplied AS applied USING (postingId) WHERE applied.seq < closing.seq
),
closings AS (SELECT postingId, min(seq) AS closed_seq FROM PostingClosed GROUP BY postingId),
known AS (
  SELECT id, seq, recorded_at, postingId, coalesce(is_closing, false) AS is_closing,
    last_value(resumeId IGNORE NULLS) OVER so_far AS resumeId,
    last_value(status IGNORE NULLS) OVER so_far AS officeStatus,
    last_value(isShortlisted IGNORE NULLS) OVER so_far AS isShortlisted,
    last_value(interview IGNORE NULLS) OVER so_far AS interview
  FROM facts WINDOW so_far AS (PARTITION BY id ORDER BY seq ROWS UNBOUNDED PRECEDING)
)
SELECT
  id, seq, recorded_at, 'candidate' AS source, is_closing,
  resumeId, officeStatus,
  CASE WHEN officeStatus IN ('hired', 'rejected') THEN officeStatus
    WHEN closed_seq <= seq THEN 'closed' ELSE 'open' END AS hiringStatus,
  CASE WHEN officeStatus = 'hired' THEN officeStatus
    WHEN officeStatus = 'rejected' OR closed_seq <= seq THEN 'closed' ELSE officeStatus END AS professionalStatus,
  isShortlisted, interview."time" AS interviewAt
FROM known LEFT JOIN closings USING (postingId)
-- What was before its application is not known, and a closing leaves what was decided as it is.
WHERE resumeId IS NOT NULL AND NOT (is_closing AND officeStatus IN ('hired', 'rejected'))

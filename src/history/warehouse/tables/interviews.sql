-- An interview, from the invitation on.
WITH facts AS (
  SELECT interviewId, candidateId, postingId, professionalId, seq, recorded_at, interviewAt, 'scheduled' AS step FROM InterviewScheduled
  UNION ALL SELECT interviewId, candidateId, postingId, professionalId, seq, recorded_at, interviewAt, 'moved' FROM InterviewMoved
  UNION ALL SELECT interviewId, candidateId, postingId, professionalId, seq, recorded_at, NULL, 'cancelled' FROM InterviewCancelled
  UNION ALL SELECT interviewId, candidateId, postingId, professionalId, seq, recorded_at, NULL, 'held' FROM InterviewHeld
)
SELECT
  interviewId AS interview_id, -- the interview
  candidateId AS candidate_id, -- the application
  postingId AS posting_id, -- the posting
  professionalId AS professional_id, -- who is interviewed
  min(recorded_at) FILTER (step = 'scheduled') AS scheduled_at, -- when the office invited; null: it was held without an invitation
  arg_max(interviewAt, seq) AS interview_at, -- the time agreed on last
  count(*) FILTER (step = 'moved') AS moves, -- how often it got another time
  min(recorded_at) FILTER (step = 'cancelled') AS cancelled_at, -- when it was called off
  min(recorded_at) FILTER (step = 'held') AS held_at -- when it was recorded that it took place
FROM facts
GROUP BY interviewId, candidateId, postingId, professionalId

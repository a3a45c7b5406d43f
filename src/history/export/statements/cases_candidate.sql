-- What happened to each application, up to the closing of its posting where that ended it.
SELECT
  seq, cases.id AS case_id, type AS activity, events.recorded_at AS "timestamp", actor AS resource,
  posting_id, professional_id, office_id, profession, specialty, state, outcome,
  position, stream, revision, events.id, version, request_id, correlation_id
FROM (
  SELECT seq, id FROM namings WHERE kind = 'candidate'
  UNION ALL SELECT seq, id FROM candidate_facts WHERE is_closing
) AS cases
JOIN events USING (seq)
LEFT JOIN applications ON candidate_id = cases.id

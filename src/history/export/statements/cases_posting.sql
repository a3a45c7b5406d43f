-- What happened to each posting.
SELECT
  seq, cases.id AS case_id, type AS activity, events.recorded_at AS "timestamp", actor AS resource,
  office_id, profession, specialty, state,
  position, stream, revision, events.id, version, request_id, correlation_id
FROM (SELECT seq, id FROM namings WHERE kind = 'posting') AS cases
JOIN events USING (seq)
LEFT JOIN postings ON posting_id = cases.id

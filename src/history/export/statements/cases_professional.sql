-- What happened to each professional; each step of onboarding is an activity of its own.
SELECT
  seq, cases.id AS case_id, concat_ws(' ', type, step) AS activity, events.recorded_at AS "timestamp", actor AS resource,
  profession, years_of_experience, onboarding_status,
  position, stream, revision, events.id, version, request_id, correlation_id
FROM (SELECT seq, id FROM namings WHERE kind = 'professional') AS cases
JOIN events USING (seq)
LEFT JOIN (SELECT seq, status AS step FROM OnboardingStatusChanged) USING (seq)
LEFT JOIN professionals ON professional_id = cases.id

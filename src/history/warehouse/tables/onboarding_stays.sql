-- How long a professional stood at one step of onboarding.
WITH changes AS (
  SELECT * FROM OnboardingStatusChanged
  QUALIFY status IS DISTINCT FROM lag(status) OVER (PARTITION BY professionalId ORDER BY seq)
)
SELECT
  professionalId AS professional_id, -- the professional
  status, -- the step
  recorded_at AS began_at, -- when it began
  lead(recorded_at) OVER professional AS ended_at, -- when the next one began; null: it lasts
  lead(status) OVER professional AS ended_by -- the next step; null: it lasts
FROM changes
WINDOW professional AS (PARTITION BY professionalId ORDER BY seq)

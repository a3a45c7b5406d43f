-- A professional, by the newest facts about the profile.
SELECT
  professionalId AS professional_id, -- the professional
  userId AS user_id, -- the user whose profile it is
  profession, -- the profession
  yearsOfExperience AS years_of_experience, -- in the profession
  onboarding_status, -- the last one; null: none was recorded
  min(recorded_at) OVER (PARTITION BY professionalId) AS recorded_at, -- when it was first recorded
  recorded_at AS updated_at -- when these facts were recorded
FROM ProfessionalRecorded
LEFT JOIN (
  SELECT professionalId, arg_max(status, seq) AS onboarding_status FROM OnboardingStatusChanged GROUP BY professionalId
) USING (professionalId)
QUALIFY row_number() OVER (PARTITION BY professionalId ORDER BY seq DESC) = 1

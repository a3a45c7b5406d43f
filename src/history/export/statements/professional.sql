-- What events tell of a professional.
SELECT professionalId AS id, 'profile' AS told_by, * FROM ProfessionalRecorded
UNION ALL BY NAME
SELECT professionalId AS id, 'onboarding' AS told_by, seq, recorded_at, status AS onboardingStatus FROM OnboardingStatusChanged

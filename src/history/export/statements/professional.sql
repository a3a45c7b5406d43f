-- What events tell of a professional.
SELECT professionalId AS id, 'profile' AS source, * FROM ProfessionalRecorded
UNION ALL BY NAME
SELECT professionalId AS id, 'onboarding' AS source, seq, recorded_at, status AS onboardingStatus FROM OnboardingStatusChanged

-- What events tell of a user.
SELECT userId AS id, 'settings' AS source, * FROM JobNotificationSettingsChanged
UNION ALL BY NAME
SELECT userId AS id, 'phone' AS source, seq, recorded_at, phoneNumber FROM PhoneNumberChanged

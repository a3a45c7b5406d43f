-- What events tell of a user.
SELECT userId AS id, 'settings' AS told_by, * FROM JobNotificationSettingsChanged
UNION ALL BY NAME
SELECT userId AS id, 'phone' AS told_by, seq, recorded_at, phoneNumber FROM PhoneNumberChanged

-- A user of whom there is a profile, a changed phone number or a notification setting.
WITH profiles AS (
  SELECT userId, arg_max(professionalId, seq) AS professional_id, min(recorded_at) AS at
  FROM UserNamedByProfessional GROUP BY userId
),
phones AS (SELECT userId, count(*) AS changes, max(recorded_at) AS at FROM PhoneNumberChanged GROUP BY userId),
settings AS (SELECT userId, count(*) AS changes, max(recorded_at) AS at FROM JobNotificationSettingsChanged GROUP BY userId)
SELECT
  userId AS user_id, -- the user
  professional_id, -- the profile that names the user last; null: none
  profiles.at AS named_at, -- when a profile first named the user
  coalesce(phones.changes, 0) AS phone_changes, -- how often the phone number was changed
  phones.at AS phone_changed_at, -- the last time
  coalesce(settings.changes, 0) AS settings_changes, -- how often the notification settings were changed
  settings.at AS settings_changed_at -- the last time
FROM profiles FULL JOIN phones USING (userId) FULL JOIN settings USING (userId)

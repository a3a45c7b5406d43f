-- An office, by the newest facts about it.
SELECT
  officeId AS office_id, -- the office
  officeName AS office_name, -- its name
  address->0->>'city' AS city, -- of its first address
  address->0->>'state' AS state, -- of its first address
  TRY_CAST(address->0->>'latitude' AS DOUBLE) AS latitude, -- of its first address, in degrees
  TRY_CAST(address->0->>'longitude' AS DOUBLE) AS longitude, -- of its first address, in degrees
  min(recorded_at) OVER office AS recorded_at, -- when it was first recorded
  recorded_at AS updated_at -- when these facts were recorded
FROM OfficeRecorded
WINDOW office AS (PARTITION BY officeId)
QUALIFY row_number() OVER (PARTITION BY officeId ORDER BY seq DESC) = 1

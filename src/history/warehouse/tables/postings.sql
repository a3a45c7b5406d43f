-- A posting, by the newest facts about it.
SELECT
  postingId AS posting_id, -- the posting
  officeId AS office_id, -- the office that it is of
  title, -- its title
  profession, -- the profession that is wanted
  specialty, -- the specialty that is wanted, as a text; null: any
  state, -- the state that it is in, as it was recorded
  min(recorded_at) OVER (PARTITION BY postingId) AS published_at, -- when it was first recorded
  recorded_at AS updated_at, -- when these facts were recorded
  closed_at -- when it was closed; null: it is open
FROM PostingRecorded
LEFT JOIN (SELECT postingId, min(recorded_at) AS closed_at FROM PostingClosed GROUP BY postingId) USING (postingId)
QUALIFY row_number() OVER (PARTITION BY postingId ORDER BY seq DESC) = 1

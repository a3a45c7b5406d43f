-- A review of a professional's credentials. A later one of the same office for the same posting replaces it.
SELECT
  reviewId AS review_id, -- the same for a review and what replaces it
  professionalId AS professional_id, -- who was reviewed
  officeId AS office_id, -- who reviewed
  jobId AS posting_id, -- for which posting; null: for none
  profession, -- that was reviewed
  specialty, -- that was reviewed; null: none
  json_array_length(endorsed) AS endorsed, -- how many procedures the office endorsed
  json_array_length(renounced) AS renounced, -- how many it did not
  recorded_at AS posted_at, -- when
  lead(recorded_at) OVER (PARTITION BY reviewId ORDER BY seq) AS replaced_at -- when another one took its place; null: it stands
FROM ReviewPosted

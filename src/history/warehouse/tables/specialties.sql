-- A specialty, by the newest facts about it.
SELECT
  specialtyId AS specialty_id, -- the specialty
  name, -- its name
  procedures, -- its procedures, each with id and name, as they were recorded
  CASE WHEN reordered_seq > seq THEN procedure_ids END AS procedure_ids, -- the order that they were given since; null: as they were recorded
  min(recorded_at) OVER (PARTITION BY specialtyId) AS recorded_at, -- when it was first recorded
  recorded_at AS updated_at -- when these facts were recorded
FROM SpecialtyRecorded AS recorded
LEFT JOIN (
  SELECT specialtyId, max(seq) AS reordered_seq, arg_max(procedureIds, seq) AS procedure_ids
  FROM ProceduresReordered GROUP BY specialtyId
) USING (specialtyId)
QUALIFY row_number() OVER (PARTITION BY specialtyId ORDER BY seq DESC) = 1

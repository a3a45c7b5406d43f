-- What events tell of a specialty.
SELECT specialtyId AS id, 'specialty' AS source, * FROM SpecialtyRecorded
UNION ALL BY NAME
SELECT specialtyId AS id, 'order' AS source, * FROM ProceduresReordered

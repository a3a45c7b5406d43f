-- What events tell of a specialty.
SELECT specialtyId AS id, 'specialty' AS told_by, * FROM SpecialtyRecorded
UNION ALL BY NAME
SELECT specialtyId AS id, 'order' AS told_by, * FROM ProceduresReordered

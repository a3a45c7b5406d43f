-- What events tell of an office.
SELECT officeId AS id, 'office' AS told_by, * FROM OfficeRecorded

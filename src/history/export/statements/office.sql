-- What events tell of an office.
SELECT officeId AS id, 'office' AS source, * FROM OfficeRecorded

-- What events tell of a posting.
SELECT postingId AS id, 'posting' AS told_by, * FROM PostingRecorded
UNION ALL BY NAME
SELECT postingId AS id, 'closing' AS told_by, seq, recorded_at, true AS isClosed FROM PostingClosed

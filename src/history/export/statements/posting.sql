-- What events tell of a posting.
SELECT postingId AS id, 'posting' AS source, * FROM PostingRecorded
UNION ALL BY NAME
SELECT postingId AS id, 'closing' AS source, seq, recorded_at, true AS isClosed FROM PostingClosed

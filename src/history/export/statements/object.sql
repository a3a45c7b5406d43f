-- Every object that an event names or in whose stream one stands, with the time of the first. That is looked up by its
-- number: arg_min() would keep all objects in memory.
SELECT kind || '/' || id AS object, kind, id, recorded_at AS named_at
FROM (
  SELECT kind, id, min(seq) AS seq
  FROM (SELECT kind, id, seq FROM namings UNION ALL SELECT owner_kind, owner_id, seq FROM owned)
  GROUP BY kind, id
)
JOIN (SELECT seq, recorded_at FROM events) USING (seq)

-- Every object that an event names or in whose stream one stands, with the time of the first.
SELECT kind || '/' || id AS object, kind, id, arg_min(recorded_at, seq) AS named_at
FROM (
  SELECT kind, id, seq, recorded_at FROM namings
  UNION ALL SELECT owner_kind, owner_id, seq, recorded_at FROM owned
)
GROUP BY kind, id

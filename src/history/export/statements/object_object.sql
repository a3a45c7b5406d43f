-- Which objects an object is related to: those that the events of its own stream name.
SELECT DISTINCT owner_kind || '/' || owner_id AS source, kind || '/' || id AS target, qualifier
FROM namings JOIN owned USING (seq)
WHERE qualifier <> 'actor' AND NOT (owner_kind = kind AND owner_id = id)
ORDER BY source, target, qualifier

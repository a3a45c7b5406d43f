-- Which objects an event is of: those that it names, by the member that does; and those that the closing of a posting closes.
SELECT seq, position, kind || '/' || id AS object, qualifier FROM namings
UNION
SELECT seq, position, 'candidate/' || facts.id, 'closed' FROM candidate_facts AS facts JOIN events USING (seq) WHERE is_closing

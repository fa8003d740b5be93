-- Returns unused tokens to their buckets. It is one statement, so that a process returns the tokens of all its
-- buckets in one round trip. The rows are locked in a fixed order, so that two calls do not deadlock.
WITH unused AS (
	SELECT * FROM jsonb_to_recordset(CAST(@unused AS jsonb)) AS x(subject text, parts bigint)
), locked AS MATERIALIZED (
	SELECT b.subject FROM rate_bucket b WHERE b.subject IN (SELECT subject FROM unused) ORDER BY b.subject FOR UPDATE
)
UPDATE rate_bucket b SET lacking = greatest(0, b.lacking - u.parts)
FROM unused u JOIN locked USING (subject) WHERE b.subject = u.subject

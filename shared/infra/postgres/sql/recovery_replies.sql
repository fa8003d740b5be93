-- Holds the answers that are to be sent: each may have been sent since the moment to which the database was restored. A person
-- decides, because most networks cannot be asked. It is one statement, so that no answer is held without its attempt.
WITH held AS (
	UPDATE message SET state = 'UNKNOWN', failure_code = CAST(@code AS text), failure_message =
		'The database was restored to an earlier moment, so the answer may have arrived. Look there before you send it again.'
	WHERE state = 'QUEUED' RETURNING id
), sent AS (
	UPDATE reply_attempt SET state = 'UNKNOWN', finished_at = now() WHERE state = 'SENT' RETURNING message_id
)
INSERT INTO reply_attempt (message_id, n, state, sent_at, finished_at, failure_code)
SELECT h.id, 1 + COALESCE((SELECT max(n) FROM reply_attempt a WHERE a.message_id = h.id), 0), 'UNKNOWN',
	CAST(@since AS timestamptz), now(), CAST(@code AS text)
FROM held h WHERE NOT EXISTS (SELECT FROM reply_attempt f WHERE f.message_id = h.id AND f.state IN ('SENT', 'UNKNOWN', 'CONFIRMED'))

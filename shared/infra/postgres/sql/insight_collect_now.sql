-- Enqueues an immediate collection of a channel that is connected and has figures. It is one statement, so that the
-- place behind earlier requests and the message are one step.
INSERT INTO outbox (kind, subject, workspace_id, payload, not_before)
SELECT 'insights', id, workspace_id, CAST('{"now": true}' AS jsonb),
	now() + (SELECT count(*) FROM outbox WHERE kind = 'insights') * CAST(@pace AS float8) * interval '1 second'
FROM channel WHERE id = @channel AND is_connected AND type = ANY(CAST(@types AS text[]))

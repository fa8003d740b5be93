-- Ends outbox_take_urgent.sql, outbox_take_deliveries.sql and outbox_take_patient.sql: reads the objects that the messages refer to.
--
-- The transaction keeps the rows locked while the relay calls Temporal. PostgreSQL ends it if the relay sends nothing
-- for too long: the host of the relay may have lost its power, or the process may be frozen. The setting ends with the transaction.
--
-- There is always a row. If other relays hold all messages of the chosen workspaces, or all are to be sent later, the row
-- has no message, and its turn moves the next batch on to other workspaces.
SELECT b.id, b.lane, b.kind, b.subject, b.payload, b.tries, t.ended_with, COALESCE(b.trace, '') AS trace,
	COALESCE(p.workspace_id, c.workspace_id) AS workspace_id, c.id AS channel_id, COALESCE(p.beyond_horizon, false) AS beyond,
	COALESCE(c.type, '') AS channel_type, COALESCE(c.name, '') AS channel_name, COALESCE(c.is_connected, false) AS connected,
	COALESCE(c.is_test, false) AS channel_is_test
FROM (SELECT set_config('idle_in_transaction_session_timeout', @idle, true)) limits CROSS JOIN turn t LEFT JOIN batch b ON true
	LEFT JOIN post p ON b.kind IN ('post', 'restart') AND p.id = b.subject
	LEFT JOIN channel c ON c.id = CASE WHEN b.kind = 'insights' THEN b.subject ELSE p.channel_id END
ORDER BY b.due_at, b.id

-- Ends outbox_take_urgent.sql, outbox_take_deliveries.sql and outbox_take_patient.sql: reads the objects that the messages refer to.
--
-- The transaction keeps the rows locked while the relay calls Temporal. PostgreSQL ends it if the relay sends nothing
-- for too long: the host of the relay may have lost its power, or the process may be frozen. The setting ends with the transaction.
--
-- There is always a row. If other relays hold all messages of the chosen workspaces, or all are to be sent later, the row
-- has no message, and its turn moves the next batch on to other workspaces.
SELECT b.id, b.lane, b.kind, b.subject, b.payload, b.tries, t.ended_with, COALESCE(b.trace, '') AS trace,
	p.workspace_id, p.channel_id, COALESCE(p.beyond_horizon, false) AS beyond, c.type AS channel_type, c.name AS channel_name,
	o.workspace_id AS owner_id, COALESCE(o.type, '') AS own_type, COALESCE(o.is_connected, false) AS connected
FROM (SELECT set_config('idle_in_transaction_session_timeout', @idle, true)) limits CROSS JOIN turn t LEFT JOIN batch b ON true
	LEFT JOIN post p ON b.kind IN ('post', 'restart') AND p.id = b.subject
	LEFT JOIN channel c ON c.id = p.channel_id
	LEFT JOIN channel o ON b.kind = 'insights' AND o.id = b.subject
ORDER BY b.due_at, b.id

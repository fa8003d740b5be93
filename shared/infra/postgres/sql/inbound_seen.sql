-- Records that networks reported something for accounts, at most once a minute each. It is one statement for a batch, and passes
-- over accounts that another one holds, so that no batch waits for it.
UPDATE inbound_source SET event_at = now() WHERE id IN (
	SELECT s.id FROM inbound_source s JOIN jsonb_to_recordset(CAST(@accounts AS jsonb)) AS a(network text, account text) USING (network, account)
	WHERE s.event_at IS NULL OR s.event_at < now() - interval '1 minute' FOR UPDATE OF s SKIP LOCKED
)

-- Stores what a network reported, unless it is known already. It is one statement, so that a delivery is kept as a whole before
-- it is acknowledged. Rows are written in the same order everywhere, so that two deliveries of the same events do not deadlock.
--
-- The content is kept if a channel has the account: a channel of a bot is named after the bot and the person, one of WhatsApp
-- after the number. It is also kept if the network was asked for it (wanted), if it names no account, and if it reports that a person lets a bot take part, because a
-- channel can be connected only after that.
WITH reported AS (
	SELECT e.*, CAST(@wanted AS boolean) OR e.account = '' OR e.network = 'telegram' AND e.kind = 'business_connection' AS needed
	FROM json_to_recordset(CAST(@events AS json))
		AS e (network text, account text, key text, kind text, at timestamptz, body text)
), account AS (
	SELECT a.network, a.account,
		a.network = 'telegram' AND EXISTS (SELECT FROM channel c WHERE c.type = 'TELEGRAM_BUSINESS'
			AND split_part(c.external_id, ':', 1) = a.account AND c.is_connected)
		OR a.network = 'whatsapp' AND EXISTS (SELECT FROM channel c WHERE c.type = 'WHATSAPP_BUSINESS'
			AND split_part(c.external_id, ':', 1) = a.account AND c.is_connected) AS connected
	FROM (SELECT DISTINCT network, account FROM reported) AS a
), stored AS (
	INSERT INTO inbound_event (network, account, key, kind, occurred_at, body, state)
	SELECT r.network, r.account, r.key, r.kind, r.at,
		CASE WHEN r.needed OR a.connected THEN decode(r.body, 'base64') ELSE '' END,
		CASE WHEN r.needed OR a.connected THEN 'NEW' ELSE 'SKIPPED' END
	FROM reported r JOIN account a USING (network, account) ORDER BY r.network, r.account, r.key
	ON CONFLICT DO NOTHING RETURNING 1
)
SELECT count(*) FROM stored

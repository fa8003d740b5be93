-- Selects one delivery or redelivery. Together with delivery_read.sql it is one statement, so that an attempt starts
-- after one round trip, and all of its input comes from one snapshot.
WITH wanted AS (
	SELECT 0 AS outbox_id, CAST(@id AS uuid) AS id, CAST(@run AS integer) AS run, CAST(@redelivery AS uuid) AS redelivery,
		CAST(@holder AS uuid) AS holder, CAST(@asked AS boolean) AS asked, CAST(NULL AS uuid) AS ended_with
)

-- Begins a statement that takes effect only if the key of its request is free. Taking the key, the change and its
-- response are one statement, so that a request with a key takes one round trip, like one without.
WITH granted AS (
	INSERT INTO idempotency_key (workspace_id, operation, key, fingerprint, status, location, body)
	VALUES (@workspace, @operation, @key, @fingerprint, @response_status, @response_location, @response_body)
	ON CONFLICT DO NOTHING RETURNING true
)

-- The rows of one new post without a set, a campaign, a predecessor, parts and labels, as parameters: reading them from JSON would take a quarter of the time of the statement. Part
-- of one statement; see post_insert.sql.
, new_post AS (
	SELECT CAST(@id AS uuid) AS id, CAST(@workspace AS uuid) AS workspace_id, CAST(@channel AS uuid) AS channel_id,
		CAST(@author AS uuid) AS author_id,
		CAST(@content AS text) AS content, CAST(@title AS text) AS title, CAST(@content_type AS text) AS content_type,
		CAST(@media AS uuid[]) AS media_ids, CAST(@status AS text) AS status,
		CAST(@scheduled_at AS timestamptz) AS scheduled_at, CAST(null AS timestamptz) AS published_at,
		CAST(@created_at AS timestamptz) AS created_at, CAST(@updated_at AS timestamptz) AS updated_at,
		CAST(@revision AS integer) AS revision, CAST(null AS timestamptz) AS publishing_since,
		CAST(null AS text) AS waiting_reason, CAST(null AS timestamptz) AS waiting_until, CAST(null AS text) AS post_url,
		CAST(null AS text) AS error_code, CAST(null AS text) AS error_message, CAST(null AS boolean) AS error_retryable,
		CAST(null AS text) AS approval_status, CAST(null AS text) AS approval_comment,
		CAST(null AS timestamptz) AS approval_decided_at, CAST(@options AS jsonb) AS options,
		CAST(null AS text) AS archived_from, CAST(@alt_texts AS jsonb) AS media_alt_texts,
		CAST(null AS uuid) AS group_id, CAST('{}' AS text[]) AS own_members, CAST('{}' AS text[]) AS labels,
		CAST('{}' AS text[]) AS label_keys, CAST(null AS uuid) AS campaign_id, CAST(@external_id AS text) AS external_id, CAST(@metadata AS jsonb) AS metadata,
		CAST(@consents AS jsonb) AS consents, CAST(@writers AS uuid[]) AS writers,
		CAST(null AS uuid) AS after_id, CAST(null AS integer) AS after_delay, CAST(null AS text) AS after_failure,
		CAST(null AS jsonb) AS parts, CAST(null AS text) AS parts_state
	FROM granted
), new_event AS (
	SELECT x.id, CAST(@workspace AS uuid) AS workspace_id, x.type, convert_to(x.body, 'UTF8') AS body,
		CAST(@updated_at AS timestamptz) AS created_at
	FROM granted, unnest(CAST(@event_ids AS uuid[]), CAST(@event_types AS text[]), CAST(@event_bodies AS text[]))
		AS x(id, type, body)
), new_entry AS (
	SELECT CAST(@id AS uuid) AS post_id, CAST(@entry_at AS timestamptz) AS at, CAST(@entry_kind AS text) AS kind,
		CAST(@entry_actor AS text) AS actor, CAST(@entry_detail AS text) AS detail
	FROM granted
), new_message AS (
	SELECT CAST(@id AS uuid) AS subject, CAST(@plan AS jsonb) AS payload FROM granted WHERE CAST(@plan AS jsonb) IS NOT NULL
)

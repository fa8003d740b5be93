-- Takes handles for a page, and counts those that other pages hold. It is one statement, so that a handle is taken or
-- found taken in one step. Handles are taken in order, so that two pages that want the handles of each other do not
-- deadlock.
WITH taken AS (
	INSERT INTO link_page_handle (handle, page_id)
	SELECT h, CAST(@page AS uuid) FROM unnest(CAST(@handles AS text[])) AS h ORDER BY h
	ON CONFLICT (handle) DO UPDATE SET handle = excluded.handle RETURNING page_id
)
SELECT count(*) FROM taken WHERE page_id <> CAST(@page AS uuid)

-- Claims a post that is due and still has the plan of the workflow. Together with post_job.sql it is one statement,
-- so that an execution claims the post and reads everything it needs in one round trip.
WITH p AS (
	UPDATE post SET publishing_since = COALESCE(publishing_since, now())
	WHERE id = @id AND status = 'SCHEDULED' AND revision = @revision AND scheduled_at <= now()
	RETURNING *
)

package postgres

import _ "embed" // for the statements

// Statements that must stay one round trip. Each file says why. Comments in a file have no apostrophe, question mark or
// at sign, which would be read as part of the statement's parameters. Texts that begin with a comma continue another
// statement.
var (
	//go:embed sql/post_insert.sql
	insertPosts string
	//go:embed sql/post_change.sql
	changePost string
	//go:embed sql/post_edit.sql
	editPost string
	//go:embed sql/post_effects.sql
	changeEffects string
	//go:embed sql/post_delete.sql
	deletePost string
	//go:embed sql/post_claim.sql
	claimPost string
	//go:embed sql/post_job.sql
	readJob string
	//go:embed sql/attempt_intend.sql
	intendAttempt string
	//go:embed sql/recovery_widen.sql
	widenAttempts string
	//go:embed sql/recovery_fence.sql
	fencePosts string
	//go:embed sql/outbox_take.sql
	takeOutbox string
	//go:embed sql/outbox_overdue.sql
	enqueueOverdue string
	//go:embed sql/outbox_all.sql
	enqueueAll string
	//go:embed sql/delivery_load.sql
	loadDelivery string
	//go:embed sql/delivery_admit.sql
	admitDeliveries string
	//go:embed sql/delivery_take_place.sql
	takePlace string
	//go:embed sql/delivery_record.sql
	recordDelivery string
	//go:embed sql/redelivery_record.sql
	recordRedelivery string
	//go:embed sql/delivery_effects.sql
	recordEffects string
	//go:embed sql/channel_limit.sql
	limitChannel string
	//go:embed sql/channel_turn.sql
	takeTurn string
	//go:embed sql/replay_page.sql
	queueReplayPage string
	//go:embed sql/event_fanout.sql
	fanOutEvents string
)

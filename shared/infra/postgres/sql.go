package postgres

import (
	_ "embed" // for the statements
	"strings"
)

// Statements that must stay one round trip. Each file says why. Comments in a file have no apostrophe, question mark or
// at sign, which would be read as part of the statement's parameters.
var (
	//go:embed sql/idempotency_take.sql
	takeKey string
	//go:embed sql/post_rows_many.sql
	rowsOfPosts string
	//go:embed sql/post_rows_one.sql
	rowsOfPost string
	//go:embed sql/post_insert.sql
	insertRows string
	//go:embed sql/post_relabel.sql
	relabelPosts string
	//go:embed sql/post_change.sql
	changePost string
	//go:embed sql/post_edit.sql
	editPost string
	//go:embed sql/post_effects.sql
	changeEffects string
	//go:embed sql/post_delete.sql
	removePost string
	//go:embed sql/post_parts.sql
	changeParts string
	//go:embed sql/post_parts_drop.sql
	dropParts string
	//go:embed sql/post_successors.sql
	wakeSuccessors string
	//go:embed sql/post_claim.sql
	claimPost string
	//go:embed sql/post_job.sql
	readJob string
	//go:embed sql/attempt_intend.sql
	intendAttempt string
	//go:embed sql/recovery_widen.sql
	widenAttempts string
	//go:embed sql/recovery_replies.sql
	holdReplies string
	//go:embed sql/recovery_fence.sql
	fencePosts string
	//go:embed sql/outbox_turns.sql
	chooseTurns string
	//go:embed sql/outbox_take_urgent.sql
	lockUrgent string
	//go:embed sql/outbox_take_deliveries.sql
	lockDeliveries string
	//go:embed sql/outbox_take_patient.sql
	takePatient string
	//go:embed sql/outbox_subjects.sql
	readSubjects string
	//go:embed sql/outbox_near.sql
	enqueueNear string
	//go:embed sql/followup_near.sql
	nearFollowups string
	//go:embed sql/outbox_overdue.sql
	enqueueOverdue string
	//go:embed sql/outbox_all.sql
	enqueueAll string
	//go:embed sql/delivery_load.sql
	selectDelivery string
	//go:embed sql/delivery_read.sql
	readDelivery string
	//go:embed sql/poll_claim.sql
	claimPoll string
	//go:embed sql/poll_posts.sql
	findPolledPosts string
	//go:embed sql/inbound_people.sql
	inboundPeople string
	//go:embed sql/inbound_conversations.sql
	inboundConversations string
	//go:embed sql/inbound_messages.sql
	inboundMessages string
	//go:embed sql/lead_circumstances.sql
	leadCircumstances string
	//go:embed sql/message_file_claim.sql
	claimMessageFiles string
	//go:embed sql/conversation_preview.sql
	conversationPreview string
	//go:embed sql/inbound_seen.sql
	inboundSeen string
	//go:embed sql/receipt_put.sql
	receiptPut string
	//go:embed sql/receipt_take.sql
	receiptTake string
	//go:embed sql/channel_costs.sql
	channelCosts string
	//go:embed sql/live_claim.sql
	claimLiveChanges string
	//go:embed sql/leftover_claim.sql
	claimLeftovers string
	//go:embed sql/express_reserve.sql
	reserveExpress string
	//go:embed sql/express_claim.sql
	leaseExpress string
	//go:embed sql/express_record.sql
	recordExpress string
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
	//go:embed sql/request_add.sql
	addRequests string
	//go:embed sql/visit_add.sql
	addVisits string
	//go:embed sql/visit_read.sql
	readVisits string
	//go:embed sql/visit_salt.sql
	takeSalt string
	//go:embed sql/link_page_handles.sql
	takeHandles string
	//go:embed sql/media_loosen_derived.sql
	loosenDerived string
	//go:embed sql/media_loosen_renditions.sql
	loosenRenditions string
	//go:embed sql/media_refer.sql
	referMedia string
	//go:embed sql/upload_expire.sql
	expireUploads string
	//go:embed sql/idea_rerank.sql
	rerankCards string
	//go:embed sql/idea_pour.sql
	pourCards string
	//go:embed sql/idea_cards.sql
	readCards string
	//go:embed sql/idea_insert_card.sql
	insertIdeaCard string
	//go:embed sql/insight_heard.sql
	insightHeard string
	//go:embed sql/insight_finish.sql
	insightFinish string
	//go:embed sql/insight_stop.sql
	insightStop string
	//go:embed sql/insight_save_channel.sql
	insightSaveChannel string
	//go:embed sql/insight_save_posts.sql
	insightSavePosts string
	//go:embed sql/insight_states.sql
	readInsightStates string
	//go:embed sql/insight_schedules.sql
	enqueueSchedules string
	//go:embed sql/insight_collect_now.sql
	collectNow string
	//go:embed sql/rate_lease.sql
	leaseTokens string
	//go:embed sql/rate_give_back.sql
	giveBackTokens string
	//go:embed sql/redelivery_heard.sql
	hearRedelivery string
	//go:embed sql/user_join.sql
	joinWorkspace string
	//go:embed sql/retention_timelines.sql
	oldTimelines string
	//go:embed sql/retention_attempts.sql
	oldAttempts string
	//go:embed sql/retention_posts.sql
	oldPosts string
	//go:embed sql/inbound_store.sql
	storeInbound string
	//go:embed sql/import_earlier.sql
	findEarlierImport string
)

// withoutKey begins a statement like takeKey, but of a request without a key.
const withoutKey = "WITH granted AS NOT MATERIALIZED (SELECT true)"

// Statements with numbered parameters, or that are made of several files.
var (
	takeUrgent      = ofLane("lane = 0 AND kind <> 'delivery'", chooseTurns+lockUrgent)
	takeFirst       = ofLane("lane = 0 AND kind = 'delivery' AND tries = 0", chooseTurns+lockDeliveries)
	takeDeliveries  = ofLane("lane = 0 AND kind = 'delivery' AND tries > 0", chooseTurns+lockDeliveries)
	claimExpress    = ofLane("lane = 2", chooseTurns+leaseExpress) + readDelivery
	loadDelivery    = selectDelivery + readDelivery
	pruneTimelines  = compile(oldTimelines)
	pruneAttempts   = compile(oldAttempts)
	prunePosts      = compile(oldPosts)
	insertPosts     = compile(withoutKey, rowsOfPosts, insertRows)
	insertPost      = compile(withoutKey, rowsOfPost, insertRows)
	insertPostsOnce = compile(takeKey, rowsOfPosts, insertRows)
	insertPostOnce  = compile(takeKey, rowsOfPost, insertRows)
	applyChange     = changePost + changeEffects + changeParts + dropParts + wakeSuccessors
	applyEdit       = editPost + changeEffects + dropParts + wakeSuccessors
	deletePost      = removePost + dropParts + wakeSuccessors
	claimJob        = claimPost + readJob
	loadJob         = "WITH p AS (SELECT * FROM post WHERE id = @id)\n" + readJob // without a claim
	storeEvents     = compile(storeInbound)
	recordAutomatic = recordDelivery + recordEffects
	recordManual    = recordRedelivery + recordEffects
)

// ofLane returns a statement that takes turns between the workspaces of a lane, whose index has the predicate.
func ofLane(predicate, statement string) string {
	return strings.ReplaceAll(statement, "LANE", predicate)
}

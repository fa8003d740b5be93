package postgres_test

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/channel/slot"
	"fencepost.internal/shared/domain/event"
	"fencepost.internal/shared/domain/media"
	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/domain/webhook"
	"fencepost.internal/shared/flow"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/infra/postgres/postgrestest"
	"fencepost.internal/shared/kernel/apperr"
)

// everyStatus creates a post in every state, and an archived one for every state that can be archived.
func (b *bundle) everyStatus(t *testing.T) {
	t.Helper()
	concluded := func(conclude func(post.Post) (post.Change, error)) post.Post {
		p := b.scheduled(t)
		job, err := b.attempts.Claim(t.Context(), p.ID, p.Revision)
		require.NoError(t, err)
		change, err := conclude(job.Post)
		return apply(t, b, change, err)
	}
	published := func() post.Post {
		return concluded(func(p post.Post) (post.Change, error) { return p.Complete("", true, b.now) })
	}
	failed := func() post.Post {
		return concluded(func(p post.Post) (post.Change, error) { return p.Fail(post.Error{Code: "REJECTED"}, b.now) })
	}
	for _, p := range []post.Post{b.draft(t, post.Options{Visibility: "PUBLIC"}), published(), failed()} {
		change, err := p.Archive(b.now, post.ActorAPI)
		apply(t, b, change, err)
	}
	pending, err := b.draft(t, post.Options{BoardID: "1"}).RequestApproval(b.now, post.ActorAPI)
	apply(t, b, pending, err)
	b.draft(t, post.Options{})
	b.scheduled(t)
	published()
	failed()
}

// lineOfThree creates an endpoint with one delivery in progress, one that failed and one waiting in line.
func (b *bundle) lineOfThree(t *testing.T) (webhook.Endpoint, []flow.DeliveryInput) {
	t.Helper()
	b.fanOut(t) // of earlier events
	e := b.endpoint(t, b.ws.ID, "*")
	for range 2 {
		b.happens(t, b.ws.ID, event.PostFailed)
	}
	b.fanOut(t)
	admitted := b.admit(t)
	// The delivery in progress has the place that a failing endpoint keeps.
	first := postgrestest.Column(t, b.address, `SELECT held_by FROM webhook_place WHERE n = 1`)[0]
	if admitted[0].DeliveryID.String() != first {
		slices.Reverse(admitted)
	}
	b.attempt(t, admitted[1], exhausted())
	b.happens(t, b.ws.ID, event.PostFailed) // the endpoint is failing, and its one place is taken
	b.fanOut(t)
	require.Empty(t, b.admit(t))
	return e, admitted
}

// TestMigrationsKeepData reverts the newest migrations and applies them again on a database with data.
func TestMigrationsKeepData(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.everyStatus(t)
	b.asset(t, b.ws.ID, media.Image)
	require.NoError(t, b.channels.SetSlots(t.Context(), b.ch.ID, []slot.Slot{{Weekday: time.Monday, Hour: 9}}))
	require.NoError(t, postgres.NewUsage(b.db).Reserve(t.Context(), b.ws.ID, 10, small))
	e, admitted := b.lineOfThree(t)
	statuses := func() []string {
		return postgrestest.Column(t, b.address, `SELECT status || ' ' || count(*) FROM post GROUP BY status ORDER BY status`)
	}
	require.Equal(t, []string{"ARCHIVED 3", "DRAFT 1", "FAILED 1", "PENDING_APPROVAL 1", "PUBLISHED 1", "SCHEDULED 1"},
		statuses())
	content := postgrestest.Column(t, b.address, `SELECT id || content || revision FROM post ORDER BY id`)
	newer := []string{
		"00004_contract.sql", "00005_media.sql", "00006_deliveries.sql", "00007_leads.sql", "00008_pacing.sql",
		"00009_link_pages.sql", "00010_insights.sql", "00011_ideas.sql", "00012_oauth.sql", "00013_idempotency_scope.sql",
		"00014_repeated_timeline.sql", "00015_post_lists.sql", "00016_visit_sources.sql", "00017_refresh_lease.sql",
		"00018_outbox_lanes.sql", "00019_express_lane.sql", "00020_retention.sql", "00021_renewals.sql",
		"00022_alt_texts.sql", "00023_renditions.sql", "00024_installation.sql", "00025_live_changes.sql",
		"00026_roles.sql", "00027_invitations.sql", "00028_audit_log.sql", "00029_reconnect_hold.sql",
		"00030_connections.sql", "00031_traces.sql", "00032_operators.sql", "00033_mails.sql", "00034_mail_choices.sql",
		"00035_second_factor.sql", "00036_identities.sql", "00037_outbox_subject.sql",
		"00038_leftovers.sql", "00039_log_filters.sql", "00040_pause.sql",
		"00041_media_turned.sql", "00042_channel_facts.sql", "00043_post_mails.sql",
		"00044_people.sql", "00045_server_applications.sql", "00046_sets.sql", "00047_event_order.sql", "00048_lists.sql", "00049_test_mode.sql",
		"00050_scratches.sql", "00051_calendar.sql", "00052_post_authors.sql", "00053_plan.sql",
		"00054_search.sql", "00055_pictures_and_trims.sql", "00056_snippets.sql", "00057_alt_text_rule.sql",
		"00058_search_periods.sql", "00059_media_labels.sql", "00060_approvals.sql", "00061_notices.sql", "00062_series.sql",
		"00063_client_links.sql", "00064_workspace_color.sql", "00065_campaigns.sql", "00066_sources.sql", "00067_evergreen.sql",
		"00068_notice_codes.sql", "00069_digests.sql", "00070_workspace_deletion.sql", "00071_member_channels.sql",
		"00072_inbox.sql", "00073_message_files.sql", "00074_whatsapp.sql", "00075_people.sql", "00076_lead_desk.sql", "00077_lead_agent.sql",
		"00078_public_inbox.sql", "00079_idea_cards.sql", "00080_link_domains.sql", "00081_reports.sql", "00082_oauth_device.sql",
		"00083_request_log.sql", "00084_chains.sql", "00085_post_parts.sql",
	}
	m, err := postgres.NewMigrator(b.db)
	require.NoError(t, err)
	for range 2 {
		for _, newest := range slices.Backward(newer) {
			undone, err := m.Down(t.Context())
			require.NoError(t, err)
			require.Equal(t, []string{newest}, undone)
		}
		require.Equal(t, []string{"DRAFT 2", "FAILED 2", "PENDING_APPROVAL 1", "PUBLISHED 2", "SCHEDULED 1"}, statuses(),
			"archived posts come back")
		done, err := m.Up(t.Context())
		require.NoError(t, err)
		require.Equal(t, newer, done)
		require.ElementsMatch(t, []webhook.State{webhook.Pending, webhook.Exhausted, webhook.Pending}, b.states(t, e.ID))
		retried, err := b.deliveries.TakePlace(t.Context(), admitted[0])
		require.NoError(t, err)
		require.True(t, retried, "endpoints have their places again")
		require.NoError(t, b.deliveries.GiveBack(t.Context(), admitted[0]))
	}
	require.Equal(t, content, postgrestest.Column(t, b.address, `SELECT id || content || revision FROM post ORDER BY id`))
	b.everyStatus(t) // the schema is complete again
}

// TestKeyMigrationSharesKeysInWorkspace checks that a key used by several operations belongs to its first use, and that imports
// keep their keys.
func TestKeyMigrationSharesKeysInWorkspace(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.begin(t, importKey("import", "r"))
	failed := b.begin(t, importKey("failed", "r"))
	require.NoError(t, b.imports(t).Fail(t.Context(), b.ws.ID, failed.ID, apperr.ImportFailed, "no"))
	m, err := postgres.NewMigrator(b.db)
	require.NoError(t, err)
	for undone := []string(nil); !slices.Contains(undone, "00013_idempotency_scope.sql"); {
		undone, err = m.Down(t.Context())
		require.NoError(t, err)
	}
	require.Empty(t, postgrestest.Column(t, b.address, `SELECT key FROM idempotency_key`))
	postgrestest.Exec(t, b.address,
		`INSERT INTO idempotency_key (workspace_id, operation, key, fingerprint, status, completed_at)
		SELECT CAST($1 AS uuid), operation, key, sha256('x'), 201, now() - interval '1 hour' * age FROM (VALUES
		('create-posts', 'twice', 2), ('create-webhook', 'twice', 1), ('bulk', 'once', 1)) AS v(operation, key, age)`,
		b.ws.ID.String())
	_, err = m.Up(t.Context())
	require.NoError(t, err)
	require.Equal(t, []string{"import-media import", "bulk once", "create-posts twice"},
		postgrestest.Column(t, b.address, `SELECT operation || ' ' || key FROM idempotency_key ORDER BY key`))
	keys := postgres.NewIdempotency(b.db, keyring(t))
	_, _, err = once(t.Context(), b.db, keys, b.request("import"), fails)
	require.True(t, apperr.Is(err, apperr.IdempotencyKeyReused), "%v", err)
	_, replayed, err := once(t.Context(), b.db, keys, b.request("failed"), responses(response))
	require.NoError(t, err)
	require.False(t, replayed)
}

// TestSchemaRefusesInvalidStates checks that the schema rejects invalid states even if a statement is wrong.
func TestSchemaRefusesInvalidStates(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.everyStatus(t)
	key := ", updated_at = updated_at WHERE status = "
	for name, set := range map[string]string{
		"archived from nowhere":         `status = 'ARCHIVED'` + key + `'DRAFT'`,
		"archived from a plan":          `archived_from = 'SCHEDULED'` + key + `'ARCHIVED'`,
		"from the archive and not":      `archived_from = 'DRAFT'` + key + `'DRAFT'`,
		"published at no time":          `published_at = NULL` + key + `'PUBLISHED'`,
		"published and archived so":     `published_at = NULL WHERE archived_from = 'PUBLISHED'`,
		"a draft that was published":    `published_at = now()` + key + `'DRAFT'`,
		"archived draft, published":     `published_at = now() WHERE archived_from = 'DRAFT'`,
		"scheduled for no time":         `scheduled_at = NULL` + key + `'SCHEDULED'`,
		"failed without a reason":       `error_code = NULL` + key + `'FAILED'`,
		"publishing what is no plan":    `publishing_since = now()` + key + `'DRAFT'`,
		"options that are no object":    `options = '[]'` + key + `'DRAFT'`,
		"a status that does not exist":  `status = 'LIVE'` + key + `'DRAFT'`,
		"a content type of another age": `content_type = 'POLL'` + key + `'DRAFT'`,
	} {
		require.ErrorContains(t, postgrestest.Try(t, b.address, `UPDATE post SET `+set), "SQLSTATE 23514", name)
	}
}

package web_test

import (
	"context"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fencepost.internal/services/internal/relay"
	"fencepost.internal/services/mcp/internal/web"
)

// TestPanicIsReportedAsError checks that the process survives a panic in a dependency of the use cases.
func TestPanicIsReportedAsError(t *testing.T) {
	t.Parallel()
	b := setup(t)
	id := b.draft(t, b.ours)
	b.wake = func(relay.Wake) { panic("inside") } //nolint:forbidigo // the subject of the test
	b.serve(t)
	for _, revision := range revisions() {
		got := b.refusalIn(t, "schedule_post", b.do(t,
			callOf(t, revision, b.ours.key, "schedule_post", object{"postId": id, "scheduledAt": tomorrow()})), "INTERNAL")
		require.Contains(t, got.Next, "Do not repeat")
		require.NotContains(t, encode(t, got), "panic")
	}
	require.Contains(t, b.logs.String(), "panic: inside", "operators see what")
	require.Contains(t, b.logs.String(), "inside_test.go", "and where")
	b.did(t, "list_posts", object{})
}

// TestInternalErrorsAreHidden checks that database errors are visible only to operators.
func TestInternalErrorsAreHidden(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.did(t, "list_posts", object{})
	b.exec(t, `ALTER TABLE post RENAME TO post_elsewhere`)
	got := b.refused(t, "list_posts", object{}, "INTERNAL")
	require.NotContains(t, encode(t, got), "post_elsewhere")
	require.NotContains(t, encode(t, got), "SQL")
	require.Contains(t, b.logs.String(), "SQLSTATE 42P01")
	families, err := b.registry.Gather()
	require.NoError(t, err)
	var outcomes []string
	for _, family := range families {
		for _, metric := range family.GetMetric() {
			for _, label := range metric.GetLabel() {
				outcomes = append(outcomes, label.GetName()+"="+label.GetValue())
			}
		}
	}
	require.Subset(t, outcomes, []string{"tool=list_posts", "outcome=ok", "outcome=INTERNAL"})
}

// TestClientDisconnectsDuringPublish checks that a client that disconnects during publishing leaves the post published or not, and
// never in between.
func TestClientDisconnectsDuringPublish(t *testing.T) {
	t.Parallel()
	b := setup(t)
	const tries, warm = 100, 5
	usual := time.Hour
	for range warm {
		id, began := b.draft(t, b.ours), time.Now()
		b.did(t, "publish_post", object{"postId": id})
		usual = min(usual, time.Since(began))
	}
	for i := range tries {
		b.hangUp(t, b.draft(t, b.ours), usual*time.Duration(3*i)/(2*tries))
	}
	require.EventuallyWithT(t, func(c *assert.CollectT) {
		require.Empty(c,
			b.column(t,
				`SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND state <> 'idle' AND pid <> pg_backend_pid()`))
	}, 10*time.Second, 20*time.Millisecond)
	between := b.count(t,
		`post p WHERE (p.status = 'SCHEDULED') <> EXISTS (SELECT FROM post_timeline l WHERE l.post_id = p.id AND l.kind = 'publish_requested')
		OR (p.status = 'SCHEDULED') <> EXISTS (SELECT FROM outbox o WHERE o.kind = 'post' AND o.subject = p.id) OR (p.status = 'SCHEDULED') <> (p.scheduled_at IS NOT NULL)
		OR p.status NOT IN ('DRAFT', 'SCHEDULED') OR (SELECT count(*) FROM post_timeline l WHERE l.post_id = p.id AND l.kind = 'publish_requested') > 1`)
	require.Zero(t, between)
	done := b.count(t, `post WHERE status = 'SCHEDULED'`)
	t.Logf("%d of %d were done", done-warm, tries)
	require.Less(t, done, tries+warm, "the first of them were not")
	require.NotContains(t, b.logs.String(), "panic")
}

// hangUp sends a request to publish a post and disconnects before the response.
func (b *bundle) hangUp(t *testing.T, id string, after time.Duration) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), after)
	defer cancel()
	r := callOf(t, newest, b.ours.key, "publish_post", object{"postId": id})
	sent, err := http.NewRequestWithContext(ctx, http.MethodPost, b.endpoint, strings.NewReader(r.body))
	require.NoError(t, err)
	sent.Header = r.header
	sent.Header.Set("Authorization", "Bearer "+r.key)
	sent.Header.Set("Content-Type", "application/json")
	sent.Header.Set("Accept", "application/json, text/event-stream")
	res, err := b.client.Do(sent)
	if err != nil {
		require.ErrorIs(t, err, context.DeadlineExceeded)
		return
	}
	require.NoError(t, res.Body.Close())
	require.Equal(t, http.StatusOK, res.StatusCode)
}

func TestConfig(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for name, change := range map[string]func(c *web.Config){
		"app": func(c *web.Config) { c.App = nil }, "gate": func(c *web.Config) { c.Gate = nil },
		"clock":  func(c *web.Config) { c.Clock = nil },
		"logger": func(c *web.Config) { c.Logger = nil }, "registry": func(c *web.Config) { c.Registry = nil },
		"key":        func(c *web.Config) { c.CursorKey = nil },
		"no address": func(c *web.Config) { c.URL = "" }, "no host": func(c *web.Config) { c.URL = "/mcp" },
		"slash": func(c *web.Config) { c.URL += "/" },
		"query": func(c *web.Config) { c.URL += "?x" }, "pages": func(c *web.Config) { c.PagesURL = "" },
		"base": func(c *web.Config) { c.BaseURL = "" },
	} {
		cfg := b.config(t)
		change(&cfg)
		_, err := web.New(cfg)
		require.Error(t, err, name)
	}
	cfg := b.config(t)
	_, err := web.New(cfg)
	require.NoError(t, err)
	_, err = web.New(cfg)
	require.Error(t, err, "measured twice")
}

package httpapi_test

import (
	"log/slog"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/services/api/internal/httpapi"
	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/channel/slot"
	"fencepost.internal/shared/infra/postgres"
)

// TestEveryOperationWithKeyReplaysResponse gets the list of operations from the document.
func TestEveryOperationWithKeyReplaysResponse(t *testing.T) {
	t.Parallel()
	b := withFiles(t)
	b.poked = b.importer(t, b.imported)
	b.slots(t, b.ours.channel, slot.Slot{Weekday: time.Monday})
	_, operations := b.document(t)
	var names []string
	for _, op := range operations {
		if !op.takesKey() {
			continue
		}
		names = append(names, op.OperationID)
		op, mine, _ := b.subjects(t, op)
		mine = b.prepared(t, op.OperationID, mine)
		r := request{
			method: op.method, path: strings.ReplaceAll(op.path, "{id}", mine), key: b.ours.key,
			header: map[string]string{headerOnce: op.OperationID},
		}
		if op.RequestBody != nil {
			r.contentType, r.body = "application/json", encode(t, op.example(t, b.ours)) // its times are relative to now
		}
		ask := func() response { return b.do(t, r) }
		first := ask()
		require.Less(t, first.status, 300, op.OperationID+" "+first.body)
		require.NotContains(t, first.header, headerReplay)
		before, again := b.created(t), ask()
		if op.OperationID == "import-media" { // its URLs are signed again
			again.body = strings.Replace(again.body, text(t, again.object(t), "url"), text(t, first.object(t), "url"), 1)
		}
		requireReplay(t, first, again)
		require.Equal(t, before, b.created(t), op.OperationID)
	}
	require.Equal(t, []string{
		"add-link-block", "approve-post", "complete-upload", "continue-parts", "create-idea-card", "create-link-page", "create-linkedin-post", "create-pinterest-post",
		"create-posts", "create-posts-in-bulk", "create-tiktok-post", "create-webhook", "create-youtube-post",
		"edit-media", "edit-post", "import-media", "publish-link-page", "publish-post", "redeliver-webhook-delivery",
		"reject-post", "request-post-approval", "rotate-webhook-secret", "schedule-post", "start-upload",
		"start-webhook-replay", "test-webhook", "unpublish-link-page", "unschedule-post", "update-link-block",
		"update-link-page", "update-posts-in-bulk", "update-webhook",
	}, names)
}

// prepared puts the resource of an operation into the state that the operation requires, and returns its ID.
func (b *bundle) prepared(t *testing.T, operation, id string) string {
	t.Helper()
	switch operation {
	case "unschedule-post":
		require.Equal(t, http.StatusOK, b.post(t, "/v1/posts/"+id+"/publish", "").status)
	case "approve-post", "reject-post":
		require.Equal(t, http.StatusOK, b.post(t, "/v1/posts/"+id+"/request-approval", "").status)
	case "continue-parts":
		b.incomplete(t, id)
	case "unpublish-link-page":
		require.Equal(t, http.StatusOK, b.post(t, "/v1/link-pages/"+id+"/publish", "").status)
	case "complete-upload":
		data := picture(t, 1)
		started := b.startUpload(t, b.ours, data)
		require.Equal(t, http.StatusOK, b.send(t, started, data, nil))
		return started.MediaID
	}
	return id
}

// TestActionWithKeyTakesEffectOnce moves a post to the next slot, as the issue saw it: each request moved it again.
func TestActionWithKeyTakesEffectOnce(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.slots(t, b.ours.channel, slot.Slot{Weekday: time.Monday}, slot.Slot{Weekday: time.Thursday})
	path := "/v1/posts/" + b.draft(t, b.ours) + "/schedule"
	const body = `{"schedule":"next_slot","force":true}`
	first := b.once(t, "k", path, body)
	requireFresh(t, first, http.StatusOK)
	for range 3 {
		requireReplay(t, first, b.once(t, "k", path, body))
	}
	requireProblem(t, b.once(t, "k", path, `{"schedule":"next_slot"}`), http.StatusUnprocessableEntity,
		"IDEMPOTENCY_KEY_REUSED")
	require.NotEqual(t, first.object(t)["scheduledAt"], b.once(t, "other", path, body).object(t)["scheduledAt"])
}

// TestCompletedUploadKeepsKey checks the operation whose work precedes the transaction of its key.
func TestCompletedUploadKeepsKey(t *testing.T) {
	t.Parallel()
	b := withFiles(t)
	path := func(id string) string { return "/v1/media/uploads/" + id + "/complete" }
	requireFresh(t, b.once(t, "k", "/v1/posts", b.ours.withContent("x")), http.StatusCreated)
	id := b.prepared(t, "complete-upload", "")
	before := b.count(t, `media`)
	requireProblem(t, b.once(t, "k", path(id), "{}"), http.StatusUnprocessableEntity, "IDEMPOTENCY_KEY_REUSED")
	require.Equal(t, before, b.count(t, `media`), "a refused request does nothing")
	first := b.once(t, "k2", path(id), "{}")
	requireFresh(t, first, http.StatusOK)
	require.Equal(t, http.StatusNoContent,
		b.do(t, request{method: http.MethodDelete, path: "/v1/media/" + id, key: b.ours.key}).status)
	requireReplay(t, first, b.once(t, "k2", path(id), "{}"))
}

func TestStoredSecretsAreEncrypted(t *testing.T) {
	t.Parallel()
	b := setup(t)
	first := b.once(t, "k", "/v1/webhooks", hook)
	requireFresh(t, first, http.StatusCreated)
	require.NotEmpty(t, first.header.Get("Location"))
	secret := text(t, first.object(t), "secret")
	requireReplay(t, first, b.once(t, "k", "/v1/webhooks", hook))

	rows := b.column(t, `SELECT concat_ws(' ', k, encode(body, 'escape'), encode(body, 'base64')) FROM idempotency_key k`)
	require.Len(t, rows, 1)
	for _, canary := range []string{secret, strings.TrimPrefix(secret, "whsec_"), "hooks.example.com", b.ours.key} {
		require.NotContains(t, rows[0], canary)
	}
	require.NotContains(t, b.logs.String(), secret)
	// A row that was moved to another key cannot be decrypted.
	b.exec(t, `UPDATE idempotency_key SET key = 'moved'`)
	failed := b.once(t, "moved", "/v1/webhooks", hook)
	requireProblem(t, failed, http.StatusInternalServerError, "INTERNAL")
	require.Equal(t, 1, b.count(t, `webhook`))
}

func TestMixedBulkResponsesAreReplayed(t *testing.T) {
	t.Parallel()
	b := setup(t)
	offline := b.channel(t, b.ours.id, channel.Threads, false)
	body := `{"posts":[` + b.ours.withContent("a") + `,{"channelIds":["` + offline.String() +
		`"],"content":"x","schedule":"now"},5,` + b.ours.withContent("b") + `]}`
	first := b.once(t, "k", "/v1/posts/bulk", body)
	requireFresh(t, first, http.StatusOK)
	results := first.list(t)
	require.Equal(t, []any{true, false, false, true},
		[]any{results[0]["success"], results[1]["success"], results[2]["success"], results[3]["success"]})
	require.Equal(t, 2, b.count(t, `post`))
	b.exec(t, `UPDATE channel SET is_connected = true`)
	requireReplay(t, first, b.once(t, "k", "/v1/posts/bulk", body))
	require.Equal(t, 2, b.count(t, `post`), "what failed is not tried again either")
}

func TestStoredResponsesOutliveTheirResources(t *testing.T) {
	t.Parallel()
	b := setup(t)
	first := b.once(t, "k", "/v1/posts", b.ours.withContent("x"))
	requireFresh(t, first, http.StatusCreated)
	path := "/v1/posts/" + text(t, first.list(t)[0], "id")
	require.Equal(t, http.StatusOK, b.post(t, path+"/publish", "").status)
	requireReplay(t, first, b.once(t, "k", "/v1/posts", b.ours.withContent("x")))
	require.Equal(t, http.StatusNoContent, b.do(t, request{method: http.MethodDelete, path: path, key: b.ours.key}).status)
	b.exec(t, `UPDATE channel SET is_connected = false`)
	requireReplay(t, first, b.twin(t).once(t, "k", "/v1/posts", b.ours.withContent("x")))
	require.Zero(t, b.count(t, `post`))
}

func TestPruningDeletesOnlyOldResponses(t *testing.T) {
	t.Parallel()
	b := setup(t)
	kept := postgres.NewIdempotency(b.db, b.keyring)
	prune := func(want, limit int) {
		t.Helper()
		n, err := kept.Prune(t.Context(), 24*time.Hour, limit)
		require.NoError(t, err)
		require.Equal(t, want, n)
	}
	first := b.once(t, "live", "/v1/posts", b.ours.withContent("x"))
	for _, key := range []string{"old", "older", "oldest"} {
		requireFresh(t, b.once(t, key, "/v1/posts", b.ours.withContent("x")), http.StatusCreated)
	}
	prune(0, 10)
	b.exec(t, `UPDATE idempotency_key SET completed_at = now() - interval '23 hours 59 minutes'`)
	prune(0, 10)
	requireReplay(t, first, b.once(t, "live", "/v1/posts", b.ours.withContent("x")))
	b.exec(t,
		`UPDATE idempotency_key SET completed_at = now() - interval '24 hours 1 second' * length(key) WHERE key <> 'live'`)
	prune(2, 2)
	require.Equal(t, []string{"live", "old"}, b.column(t, `SELECT key FROM idempotency_key ORDER BY key`),
		"the oldest first")
	prune(1, 2)
	requireReplay(t, first, b.once(t, "live", "/v1/posts", b.ours.withContent("x")))
	again := b.once(t, "old", "/v1/posts", b.ours.withContent("something else"))
	requireFresh(t, again, http.StatusCreated)
	require.Equal(t, 5, b.count(t, `post`), "the key is new")
}

// hurried returns a bundle whose server waits 100 ms for a lock.
func hurried(t *testing.T) *bundle {
	t.Helper()
	b := world(t)
	db, err := postgres.Open(postgres.Config{
		URL: b.database, MaxConnections: 4, LockTimeout: 100 * time.Millisecond, Logger: slog.New(slog.DiscardHandler),
	})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, db.Close()) })
	b.db = db
	b.build(t)
	b.serve(t)
	return b
}

// TestTransientItemFailureIsNotStored checks that a transient failure of an item is not stored for a day.
func TestTransientItemFailureIsNotStored(t *testing.T) {
	t.Parallel()
	b := hurried(t)
	items := []string{b.ours.withContent("first"), b.ours.withContent("second")}
	release := b.hold(t, `SELECT 1 FROM channel WHERE id = $1 FOR UPDATE`, b.ours.channel.String())
	requireProblem(t, b.bulk(t, b.ours.key, "k", items...), http.StatusServiceUnavailable, "UNAVAILABLE")
	got := b.bulk(t, b.ours.key, "", items...)
	require.Equal(t, http.StatusOK, got.status, "without a key nothing is kept")
	for i, result := range got.list(t) {
		requireItem(t, result, i, "UNAVAILABLE: ")
	}
	require.Zero(t, b.count(t, `post`))
	release()
	done := b.bulk(t, b.ours.key, "k", items...)
	requireFresh(t, done, http.StatusOK)
	for i, result := range done.list(t) {
		requireItem(t, result, i, "")
	}
	require.Equal(t, 2, b.count(t, `post`))
}

// TestKeyOfRunningRequestConflicts locks a key like a request in progress.
func TestKeyOfRunningRequestConflicts(t *testing.T) {
	t.Parallel()
	b := hurried(t)
	release := b.hold(t,
		`INSERT INTO idempotency_key (workspace_id, operation, key, fingerprint) VALUES ($1, 'create-posts', 'k', sha256('x'))`, b.ours.id.String())
	refused := b.once(t, "k", "/v1/posts", b.ours.withContent("x"))
	requireProblem(t, refused, http.StatusConflict, "IDEMPOTENCY_IN_PROGRESS")
	require.Equal(t, "1", refused.header.Get("Retry-After"))
	require.Zero(t, b.count(t, `post`))
	requireFresh(t, b.once(t, "k2", "/v1/posts", b.ours.withContent("x")), http.StatusCreated)
	for path, body := range map[string]string{"/v1/webhooks": hook, "/v1/media": spring} {
		requireProblem(t, b.once(t, "k", path, body), http.StatusConflict, "IDEMPOTENCY_IN_PROGRESS")
	}
	requireFresh(t, b.onceAs(t, b.theirs.key, "k", "/v1/posts", b.theirs.withContent("x")), http.StatusCreated)
	release()
	requireFresh(t, b.once(t, "k", "/v1/posts", b.ours.withContent("x")), http.StatusCreated)
}

// TestAbortedRequestsStoreNothing aborts requests in the middle of their transaction.
func TestAbortedRequestsStoreNothing(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(t *testing.T, b *bundle){
		"out of time": func(*testing.T, *bundle) {}, // times out by itself
		"its connection is cut": func(t *testing.T, b *bundle) {
			t.Helper()
			b.awaitLocked(t, 1)
			b.exec(t,
				`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := world(t)
			b.build(t, func(c *httpapi.Config) {
				if name == "out of time" {
					c.RequestTimeout = time.Second
				}
			})
			b.serve(t)
			release := b.hold(t, `LOCK TABLE post IN EXCLUSIVE MODE`)
			ended := later(func() response { return b.once(t, "k", "/v1/posts", b.ours.withContent("x")) })
			end(t, b)
			refused := <-ended
			requireProblem(t, refused, http.StatusServiceUnavailable, "UNAVAILABLE")
			require.NotEmpty(t, refused.header.Get("Retry-After"))
			require.Zero(t, b.count(t, `idempotency_key`))
			release()
			require.Zero(t, b.count(t, `post`))
			created := b.once(t, "k", "/v1/posts", b.ours.withContent("x"))
			requireFresh(t, created, http.StatusCreated)
			requireReplay(t, created, b.once(t, "k", "/v1/posts", b.ours.withContent("x")))
			require.Equal(t, 1, b.count(t, `post`))
		})
	}
}

// TestKeysOfUnusualBodies checks that every parseable body can be recognized when repeated.
func TestKeysOfUnusualBodies(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for i, item := range []string{
		`1e999`, `-1e-999`, `123456789012345678901234567890`, `{"content":1E400}`, `"\ud83d\ude42"`, `{"é":"\u00e9\u2028"}`,
		`[[[]]]`,
	} {
		key := strconv.Itoa(i)
		first := b.bulk(t, b.ours.key, key, item, b.ours.withContent("x"))
		requireFresh(t, first, http.StatusOK)
		requireItem(t, first.list(t)[0], 0, "VALIDATION_FAILED: ")
		requireItem(t, first.list(t)[1], 1, "")
		requireReplay(t, first, b.bulk(t, b.ours.key, key, " "+item, b.ours.withContent("x")))
	}
	require.Equal(t, 7, b.count(t, `post`))
}

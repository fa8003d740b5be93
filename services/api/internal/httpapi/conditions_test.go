package httpapi_test

import (
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/channel/slot"
)

// takesIfMatch reports whether the operation documents If-Match.
func (o documented) takesIfMatch() bool {
	for _, p := range o.Parameters {
		if p.Ref == "#/components/parameters/If-Match" {
			return true
		}
	}
	return false
}

// TestIfMatchIsNeverIgnored sends If-Match to every operation: 412 for another version where the operation documents it,
// 400 everywhere else.
func TestIfMatchIsNeverIgnored(t *testing.T) {
	t.Parallel()
	b := setup(t)
	_, operations := b.document(t)
	var taking []string
	for _, op := range operations {
		if op.Public {
			continue
		}
		op, mine, _ := b.subjects(t, op)
		r := request{
			method: op.method, path: strings.ReplaceAll(op.path, "{id}", mine), key: b.ours.key,
			header: map[string]string{"If-Match": `"0", "x"`},
		}
		if op.RequestBody != nil {
			r.contentType, r.body = "application/json", encode(t, op.example(t, b.ours))
		}
		before := b.created(t)
		if !op.takesIfMatch() {
			p := requireProblem(t, b.do(t, r), http.StatusBadRequest, "MALFORMED_REQUEST")
			require.Contains(t, p["detail"], "does not support If-Match", op.OperationID)
			require.Equal(t, before, b.created(t), op.OperationID)
			continue
		}
		taking = append(taking, op.OperationID)
		refused := b.do(t, r)
		requireProblem(t, refused, http.StatusPreconditionFailed, "PRECONDITION_FAILED")
		require.Regexp(t, `^"[^"]+"$`, refused.header.Get("ETag"), "the present one")
		require.Equal(t, before, b.created(t), op.OperationID)
	}
	require.Subset(t, taking, []string{
		"edit-post", "delete-post", "schedule-post", "unschedule-post", "publish-post", "request-post-approval", "continue-parts",
		"approve-post", "reject-post", "edit-media", "delete-media", "update-webhook", "delete-webhook",
		"rotate-webhook-secret", "update-link-page", "publish-link-page",
	})
}

// TestIfMatchChangesReadVersion changes each resource with the ETag of a read, and again with the same ETag.
func TestIfMatchChangesReadVersion(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.slots(t, b.ours.channel, slot.Slot{Weekday: time.Monday})
	draft := func() string { return "/v1/posts/" + b.draft(t, b.ours) }
	asset := func() string { return "/v1/media/" + b.asset(t, b.ours.id, "IMAGE").String() }
	for name, c := range map[string]struct{ path, method, action, body string }{
		"edit a post":        {draft(), http.MethodPatch, "", `{"content":"x"}`},
		"schedule a post":    {draft(), http.MethodPost, "/schedule", `{"schedule":"next_slot"}`},
		"publish a post":     {draft(), http.MethodPost, "/publish", ""},
		"request approval":   {draft(), http.MethodPost, "/request-approval", "{}"},
		"delete a post":      {draft(), http.MethodDelete, "", ""},
		"describe a file":    {asset(), http.MethodPatch, "", `{"altText":"x"}`},
		"update a webhook":   {"/v1/webhooks/" + b.webhook(t, b.ours), http.MethodPatch, "", `{"description":"x"}`},
		"rotate a secret":    {"/v1/webhooks/" + b.webhook(t, b.ours), http.MethodPost, "/rotate-secret", "{}"},
		"delete a webhook":   {"/v1/webhooks/" + b.webhook(t, b.ours), http.MethodDelete, "", ""},
		"any version (star)": {asset(), http.MethodPatch, "", `{"altText":"y"}`},
	} {
		tag := b.get(t, c.path).header.Get("ETag")
		require.Regexp(t, `^"[^"]+"$`, tag, name)
		sent := tag
		if strings.Contains(name, "star") {
			sent = "*"
		}
		first := b.matching(t, c.method, c.path+c.action, c.body, sent)
		require.Less(t, first.status, 300, name+first.body)
		if c.method == http.MethodDelete {
			requireProblem(t, b.matching(t, c.method, c.path, "", tag), http.StatusNotFound, "NOT_FOUND")
			continue
		}
		requireProblem(t, b.matching(t, c.method, c.path+c.action, c.body, tag), http.StatusPreconditionFailed,
			"PRECONDITION_FAILED")
		if changed := first.header.Get("ETag"); changed != "" {
			require.Equal(t, b.get(t, c.path).header.Get("ETag"), changed, name)
		}
	}
}

// TestEditAndActionOfSameVersionConflict checks that an edit and an action of the same version exclude each other.
func TestEditAndActionOfSameVersionConflict(t *testing.T) {
	t.Parallel()
	b := setup(t)
	path := "/v1/posts/" + b.draft(t, b.ours)
	tag := b.get(t, path).header.Get("ETag")
	var created, refused atomic.Int32
	var group sync.WaitGroup
	for i := range 8 {
		group.Go(func() {
			method, at, body := http.MethodPatch, path, `{"content":"x"}`
			if i%2 == 0 {
				method, at, body = http.MethodPost, path+"/schedule", `{"scheduledAt":"`+future+`"}`
			}
			switch a := b.matching(t, method, at, body, tag); a.status {
			case http.StatusOK:
				created.Add(1)
			case http.StatusPreconditionFailed:
				refused.Add(1)
			default:
				t.Errorf("%d %s", a.status, a.body)
			}
		})
	}
	group.Wait()
	require.EqualValues(t, 1, created.Load())
	require.EqualValues(t, 7, refused.Load())
}

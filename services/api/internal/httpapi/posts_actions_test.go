package httpapi_test

import (
	"net/http"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// year is a year that begins within the 5 years that a post can be scheduled ahead.
var year = strconv.Itoa(time.Now().Year() + 2)

var future = year + "-03-01T07:00:00.000Z"

func TestLifecycle(t *testing.T) {
	t.Parallel()
	b := setup(t)
	id := b.draft(t, b.ours)
	act := func(action, body string) map[string]any {
		t.Helper()
		done := b.post(t, "/v1/posts/"+id+"/"+action, body)
		require.Equal(t, http.StatusOK, done.status, done.body)
		require.Equal(t, done.object(t), b.get(t, "/v1/posts/"+id).object(t), "the response equals a read")
		return done.object(t)
	}

	post := act("schedule", `{"scheduledAt":"`+year+`-03-01T09:00:00+02:00"}`)
	require.Equal(t, "SCHEDULED", post["status"])
	require.Equal(t, future, post["scheduledAt"])
	require.Equal(t, map[string]any{"reason": "time", "until": future}, post["waiting"])
	require.Equal(t, year+"-03-02T07:00:00.000Z", act("schedule", `{"scheduledAt":"`+year+`-03-02T07:00:00Z"}`)["scheduledAt"])

	post = act("unschedule", "")
	require.Equal(t, "DRAFT", post["status"])
	require.Nil(t, post["scheduledAt"])
	require.Nil(t, post["waiting"])

	post = act("request-approval", "")
	require.Equal(t, "PENDING_APPROVAL", post["status"])
	require.Equal(t, map[string]any{
		"status": "PENDING", "comment": nil, "decidedAt": nil, "policy": "OPTIONAL", "approvals": []any{},
	}, post["approval"])
	post = act("reject", `{"comment":"Not yet."}`)
	require.Equal(t, "DRAFT", post["status"])
	approval, ok := post["approval"].(map[string]any)
	require.True(t, ok)
	require.Equal(t, "REJECTED", approval["status"])
	require.Equal(t, "Not yet.", approval["comment"])
	require.NotNil(t, approval["decidedAt"])

	act("request-approval", "")
	require.Equal(t, "DRAFT", act("approve", "")["status"], "a post without a time is approved as a draft")
	act("request-approval", "")
	require.Equal(t, "DRAFT", act("approve", "{}")["status"])
	act("request-approval", "")
	require.Equal(t, "DRAFT", act("approve", `{"comment":null}`)["status"])

	require.Equal(t, "SCHEDULED", act("publish", "")["status"])

	timeline := b.get(t, "/v1/posts/"+id+"/timeline")
	require.Equal(t, http.StatusOK, timeline.status)
	entries, ok := timeline.object(t)["data"].([]any)
	require.True(t, ok)
	var kinds []any
	for _, e := range entries {
		entry, ok := e.(map[string]any)
		require.True(t, ok)
		require.Len(t, entry, 7)
		require.Contains(t, entry["actor"], "svc_live_")
		require.NotContains(t, entry["actor"], b.ours.key)
		kinds = append(kinds, entry["kind"])
	}
	require.Equal(t, []any{
		"created", "scheduled", "scheduled", "unscheduled", "approval_requested", "rejected", "approval_requested",
		"approved",
		"approval_requested", "approved", "approval_requested", "approved", "publish_requested",
	}, kinds)
}

func TestActionsInInvalidState(t *testing.T) {
	t.Parallel()
	b := setup(t)
	id := b.draft(t, b.ours)
	for action, body := range map[string]string{"unschedule": "", "approve": "", "reject": `{}`} {
		p := requireProblem(t, b.post(t, "/v1/posts/"+id+"/"+action, body), http.StatusConflict, "INVALID_STATE")
		require.Equal(t, "DRAFT", p["currentStatus"])
	}
	require.Equal(t, http.StatusOK, b.post(t, "/v1/posts/"+id+"/request-approval", "").status)
	for action, body := range map[string]string{
		"publish": "", "schedule": `{"scheduledAt":"` + future + `"}`, "request-approval": "",
	} {
		p := requireProblem(t, b.post(t, "/v1/posts/"+id+"/"+action, body), http.StatusConflict, "INVALID_STATE")
		require.Equal(t, "PENDING_APPROVAL", p["currentStatus"])
	}
}

func TestScheduleFaults(t *testing.T) {
	t.Parallel()
	b := setup(t)
	path := "/v1/posts/" + b.draft(t, b.ours) + "/schedule"
	requireProblem(t, b.post(t, path, `{"scheduledAt":"2020-01-01T00:00:00Z"}`), http.StatusUnprocessableEntity,
		"SCHEDULED_IN_PAST")
	for body, want := range map[string][]string{
		`{"scheduledAt":"` + year + `-03-01T09:00:00"}`: {"/scheduledAt"},
		`{"scheduledAt":1}`:                             {"/scheduledAt"},
		`{}`:                                            {"/scheduledAt"},
		`{"scheduledAt":"` + future + `","schedule":"next_slot"}`:      {"/schedule"},
		`{"scheduledAt":"` + future + `","schedule":"soon","at":true}`: {"/schedule", "/at"},
	} {
		p := requireProblem(t, b.post(t, path, body), http.StatusUnprocessableEntity, "VALIDATION_FAILED")
		require.Equal(t, want, pointers(t, p), body)
	}
}

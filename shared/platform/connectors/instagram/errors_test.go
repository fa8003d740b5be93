package instagram_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/platform"
	"fencepost.internal/shared/platform/connectors/instagram"
	"fencepost.internal/shared/platform/platformtest"
)

func TestErrors(t *testing.T) {
	t.Parallel()
	usage := platformtest.Response{
		Status: 400, Body: `{"error":{"code":80002}}`,
		Header: map[string]string{
			"X-Business-Use-Case-Usage": `{"1":[{"type":"instagram","estimated_time_to_regain_access":7}]}`,
		},
	}
	for name, c := range map[string]struct {
		response platformtest.Response
		class    platform.Class
		code     string
		until    time.Duration
	}{
		"expired token":      {graph(401, 190, 463, "Session has expired"), platform.ClassRefresh, "TOKEN_EXPIRED", 0},
		"session":            {graph(400, 102, 0, "session"), platform.ClassRefresh, "TOKEN_EXPIRED", 0},
		"app removed":        {graph(400, 190, 458, "not authorized"), platform.ClassReconnect, post.ErrorNeedsReconnect, 0},
		"permission":         {graph(403, 10, 0, "permission"), platform.ClassReconnect, post.ErrorNeedsReconnect, 0},
		"scope":              {graph(403, 200, 0, "scope"), platform.ClassReconnect, post.ErrorNeedsReconnect, 0},
		"account unlinked":   {graph(400, 100, 33, "does not exist"), platform.ClassReconnect, post.ErrorNeedsReconnect, 0},
		"calls":              {usage, platform.ClassRateLimited, post.ErrorRateLimited, 7 * time.Minute},
		"app limit":          {graph(400, 4, 0, "limit"), platform.ClassRateLimited, post.ErrorRateLimited, 0},
		"quota":              {graph(403, 9, 2207042, "quota"), platform.ClassRateLimited, post.ErrorRateLimited, time.Hour},
		"quota, no subcode":  {graph(403, 9, 0, "quota"), platform.ClassRateLimited, post.ErrorRateLimited, time.Hour},
		"server":             {graph(400, -1, 2207001, "try again"), platform.ClassUnknown, post.ErrorOutcomeUnknown, 0},
		"server, other":      {graph(400, -1, 2207053, "try again"), platform.ClassUnknown, post.ErrorOutcomeUnknown, 0},
		"server, new number": {graph(400, -1, 2207098, "try again"), platform.ClassUnknown, post.ErrorOutcomeUnknown, 0},
		"unknown":            {graph(400, 1, 0, "unknown"), platform.ClassUnknown, post.ErrorOutcomeUnknown, 0},
		"500":                {graph(500, 9007, 2207027, "oops"), platform.ClassUnknown, post.ErrorOutcomeUnknown, 0},
		"not ready":          {graph(400, 9007, 2207027, "not ready"), platform.ClassTransient, instagram.CodeNotReady, 0},
		"expired container":  {graph(400, -2, 2207020, "expired"), platform.ClassTransient, instagram.CodeStale, 0},
		"container gone":     {graph(400, 24, 2207006, "not found"), platform.ClassTransient, instagram.CodeStale, 0},
		"builder gone":       {graph(400, 24, 2207008, "not found"), platform.ClassTransient, instagram.CodeStale, 0},
		"fetch":              {graph(400, 9004, 2207052, "fetch"), platform.ClassTransient, instagram.CodeUnreachable, 0},
		"fetch, timeout":     {graph(400, -2, 2207003, "fetch"), platform.ClassTransient, instagram.CodeUnreachable, 0},
		"action blocked":     {graph(400, 4, 2207051, "blocked"), platform.ClassUser, instagram.CodeAccount, 0},
		"checkpoint":         {graph(400, 190, 459, "checkpoint"), platform.ClassUser, instagram.CodeAccount, 0},
		"policy block":       {graph(400, 368, 0, "blocked"), platform.ClassUser, instagram.CodeAccount, 0},
		"restricted":         {graph(403, 25, 2207050, "restricted"), platform.ClassUser, instagram.CodeAccount, 0},
		"shape":              {graph(400, 36003, 2207009, "ratio"), platform.ClassRejected, platform.CodeMediaRefused, 0},
		"shape, code alone":  {graph(400, 36003, 0, "ratio"), platform.ClassRejected, platform.CodeMediaRefused, 0},
		"size":               {graph(400, 36000, 2207004, "size"), platform.ClassRejected, platform.CodeMediaRefused, 0},
		"format":             {graph(400, 36001, 2207005, "format"), platform.ClassRejected, platform.CodeMediaRefused, 0},
		"video":              {graph(400, 352, 2207026, "format"), platform.ClassRejected, platform.CodeMediaRefused, 0},
		"cover":              {graph(400, 1, 2207057, "offset"), platform.ClassRejected, platform.CodeMediaRefused, 0},
		"media type":         {graph(400, 100, 2207023, "type"), platform.ClassRejected, platform.CodeMediaRefused, 0},
		"count":              {graph(400, 100, 2207028, "count"), platform.ClassRejected, platform.CodeMediaRefused, 0},
		"caption":            {graph(400, 100, 2207010, "long"), platform.ClassRejected, instagram.CodeCaption, 0},
		"tags":               {graph(400, 110, 2207040, "tags"), platform.ClassRejected, instagram.CodeCaption, 0},
		"trial":              {graph(400, 100, 2207081, "trial"), platform.ClassRejected, instagram.CodeRefused, 0},
		"parameter":          {graph(400, 100, 0, "parameter"), platform.ClassRejected, instagram.CodeRefused, 0},
		"400 as a page": {
			platformtest.Response{Status: 400, Body: "<html>"}, platform.ClassUnknown, post.ErrorOutcomeUnknown, 0,
		},
		"200 as a page":   {ok(`<html>`), platform.ClassUnknown, post.ErrorOutcomeUnknown, 0},
		"200, hostile id": {ok(`{"id":"180\r\nX: y"}`), platform.ClassUnknown, post.ErrorOutcomeUnknown, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := setup(t, map[string][]platformtest.Response{
				publishCall: {c.response}, statusCall: {status("FINISHED", "Finished")},
			})
			_, err := b.connector.Commit(t.Context(), b.account, picture(t), handle)
			failure := platformtest.Failure(t, err)
			require.Equal(t, c.class, failure.Class, "%v", err)
			require.Equal(t, c.code, failure.Code)
			require.NotEmpty(t, failure.Message)
			require.NotContains(t, failure.Message, "  ")
			if c.until == 0 {
				require.Zero(t, failure.Until)
			} else {
				require.Equal(t, now().Add(c.until), failure.Until)
			}
		})
	}
}

// TestServerFaultBeforeCommitIsTransient checks that an error which would make the outcome of Commit unknown is
// transient in Prepare, where nothing can have been published.
func TestServerFaultBeforeCommitIsTransient(t *testing.T) {
	t.Parallel()
	for _, response := range []platformtest.Response{
		graph(400, -1, 2207001, "try again"), graph(400, -1, 0, "?"), {Status: 502},
	} {
		b := setup(t, map[string][]platformtest.Response{createCall: {response}})
		_, err := b.connector.Prepare(t.Context(), b.account, picture(t), "")
		require.Equal(t, platform.ClassTransient, platformtest.Failure(t, err).Class)
	}
}

func TestReconcile(t *testing.T) {
	t.Parallel()
	listed := func(id, caption string, after time.Duration) string {
		return fmt.Sprintf(`{"id":%q,"caption":%q,"timestamp":%q,"permalink":"https://www.instagram.com/p/%s/"}`,
			id, caption, now().Add(after).Format("2006-01-02T15:04:05-0700"), id)
	}
	list := func(posts ...string) platformtest.Response { return ok(`{"data":[` + strings.Join(posts, ",") + `]}`) }
	const second, hour = time.Second, time.Hour
	for name, c := range map[string]struct {
		status platformtest.Response
		list   platformtest.Response
		later  time.Duration
		want   platform.Evidence
		id     string
		class  platform.Class
	}{
		"published": {
			status("PUBLISHED", ""), list(listed("181", "Other", 6*second), listed("180", " Hello\n", 5*second)), 0,
			platform.EvidenceFound, "180", "",
		},
		"published, nearest": {
			status("PUBLISHED", ""), list(listed("181", "Hello", 60*second), listed("180", "Hello", 5*second)), 0,
			platform.EvidenceFound, "180", "",
		},
		"published, one is taken": {
			status("PUBLISHED", ""), list(listed("999", "Hello", second), listed("180", "Hello", 5*second)), 0,
			platform.EvidenceFound, "180", "",
		},
		"published, not listed": {
			status("PUBLISHED", ""), list(listed("180", "Hello", -hour)), 0, platform.EvidenceUnclear, "",
			platform.ClassTransient,
		},
		"published, much later": {
			status("PUBLISHED", ""), list(listed("180", "Hello", hour)), 0, platform.EvidenceUnclear, "",
			platform.ClassTransient,
		},
		"published, never listed": {status("PUBLISHED", ""), list(), 3 * time.Minute, platform.EvidenceFound, "", ""},
		"published, hostile id": {
			status("PUBLISHED", ""), list(listed("../1", "Hello", second)), 3 * time.Minute, platform.EvidenceFound, "", "",
		},
		"published, no listing": {
			status("PUBLISHED", ""), ok("<html>"), 0, platform.EvidenceUnclear, "", platform.ClassTransient,
		},
		"finished":    {status("FINISHED", ""), list(), 0, platform.EvidenceAbsent, "", ""},
		"expired":     {status("EXPIRED", ""), list(), 0, platform.EvidenceAbsent, "", ""},
		"error":       {status("ERROR", "2207026"), list(), 0, platform.EvidenceAbsent, "", ""},
		"in progress": {status("IN_PROGRESS", ""), list(), 0, platform.EvidenceUnclear, "", ""},
		"gone":        {graph(400, 100, 33, "gone"), list(), 0, platform.EvidenceUnclear, "", ""},
		"unavailable": {
			platformtest.Response{Status: 503}, list(), 0, platform.EvidenceUnclear, "", platform.ClassTransient,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := setup(t, map[string][]platformtest.Response{statusCall: {c.status}, listCall: {c.list}})
			b.clock.Advance(c.later)
			evidence, publication, err := b.connector.Reconcile(t.Context(), b.account, picture(t), platform.Sent{
				Handle: handle, Text: "Hello", At: now(), Taken: func(id string) bool { return id == "999" },
			})
			require.Equal(t, c.want, evidence)
			require.Equal(t, c.id, publication.ExternalID)
			if c.class != "" {
				require.Equal(t, c.class, platformtest.Failure(t, err).Class, "%v", err)
				return
			}
			require.NoError(t, err)
			if c.id != "" {
				require.Equal(t, "https://www.instagram.com/p/"+c.id+"/", publication.URL)
			}
		})
	}
}

// TestReconcileStory reconciles a story, which has no text.
func TestReconcileStory(t *testing.T) {
	t.Parallel()
	at := now().Add(3 * time.Second).Format("2006-01-02T15:04:05-0700")
	b := setup(t, map[string][]platformtest.Response{
		statusCall: {status("PUBLISHED", "")},
		storiesCall: {
			ok(`{"data":[{"id":"180","timestamp":"` + at + `","permalink":"https://www.instagram.com/stories/acme/180"}]}`),
		},
	})
	c := content(t, post.ContentStory, photo())
	evidence, publication, err := b.connector.Reconcile(t.Context(), b.account, c,
		platform.Sent{Handle: handle, Text: "not shown", At: now()})
	require.NoError(t, err)
	require.Equal(t, platform.EvidenceFound, evidence)
	require.Equal(t, platform.Publication{ExternalID: "180", URL: "https://www.instagram.com/stories/acme/180"},
		publication)
}

// TestReconcileReadsFurtherPages checks that Reconcile reads pages until the posts are older than the call.
func TestReconcileReadsFurtherPages(t *testing.T) {
	t.Parallel()
	page := func(id string, after time.Duration) platformtest.Response {
		return ok(fmt.Sprintf(`{"data":[{"id":%q,"caption":"Other","timestamp":%q}],"paging":{"cursors":{"after":"c%s"}}}`,
			id, now().Add(after).Format(time.RFC3339), id))
	}
	b := setup(t, map[string][]platformtest.Response{
		statusCall: {status("PUBLISHED", "")}, listCall: {
			page("190", time.Minute), page("189", time.Second), page("188", -time.Hour),
		},
	})
	b.clock.Advance(time.Hour)
	evidence, publication, err := b.connector.Reconcile(t.Context(), b.account, picture(t),
		platform.Sent{Handle: handle, Text: "Hello", At: now()})
	require.NoError(t, err)
	require.Equal(t, platform.EvidenceFound, evidence, "that it is out is certain")
	require.Empty(t, publication.ExternalID)
	requests := b.script.Requests()
	require.Len(t, requests, 4)
	require.Empty(t, requests[1].Query.Get("after"))
	require.Equal(t, "c190", requests[2].Query.Get("after"))
	require.Equal(t, "c189", requests[3].Query.Get("after"))
}

func TestReconcileWithoutContainerIsUnclear(t *testing.T) {
	t.Parallel()
	for _, handle := range []platform.Handle{"{}", `{"items":[{"id":"1"}]}`, "x"} {
		b := setup(t, nil)
		evidence, _, err := b.connector.Reconcile(t.Context(), b.account, picture(t), platform.Sent{Handle: handle})
		require.NoError(t, err)
		require.Equal(t, platform.EvidenceUnclear, evidence)
		require.Empty(t, b.script.Requests())
	}
}

// TestStoryWithoutContainerIsUnclear checks a story without a known container. Stories disappear after a day and
// have no text, so a list proves nothing.
func TestStoryWithoutContainerIsUnclear(t *testing.T) {
	t.Parallel()
	b := setup(t, nil)
	content := picture(t)
	content.ContentType = post.ContentStory
	evidence, _, err := b.connector.Reconcile(t.Context(), b.account, content, platform.Sent{Text: "Hello", At: now()})
	require.NoError(t, err)
	require.Equal(t, platform.EvidenceUnclear, evidence)
	require.Empty(t, b.script.Requests())
}

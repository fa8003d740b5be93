package threads_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/platform"
	"fencepost.internal/shared/platform/platformtest"
	"fencepost.internal/shared/platform/rules/textlen"
)

// TestLongTextIsAttached checks that the option attaches a text that is too long for a post, and that the post shows its
// beginning.
func TestLongTextIsAttached(t *testing.T) {
	t.Parallel()

	yes, no := true, false
	long := strings.Repeat("Grüße aus Köln. ", 100)
	for name, test := range map[string]struct {
		text      string
		requested *bool
		attached  bool
	}{
		"asked for":     {long, &yes, true},
		"without words": {strings.Repeat("東京", 300), &yes, true},
		"short":         {"Hello", &yes, false},
		"switched off":  {"Hello", &no, false},
		"not asked for": {"Hello", nil, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			b := setup(t, map[string][]platformtest.Response{createCall: {ok(`{"id":"171"}`)}, statusCall: {status("FINISHED")}})
			b.content.Text, b.content.Options = test.text, post.Options{LongText: test.requested}
			_, err := b.connector.Prepare(t.Context(), b.account, b.content, "")
			require.NoError(t, err)
			form := b.script.Requests()[0].Form(t)
			if !test.attached {
				require.Equal(t, test.text, form.Get("text"))
				require.False(t, form.Has("text_attachment"))
				return
			}
			var attached struct {
				Text string `json:"plaintext"`
			}
			require.NoError(t, json.Unmarshal([]byte(form.Get("text_attachment")), &attached))
			require.Equal(t, test.text, attached.Text)
			beginning, cut := strings.CutSuffix(form.Get("text"), "…")
			require.True(t, cut)
			require.True(t, strings.HasPrefix(test.text, beginning))
			require.LessOrEqual(t, textlen.Threads(form.Get("text")), 500)
			require.LessOrEqual(t, len(form.Get("text")), 500)
			require.Greater(t, len(beginning), 400)
		})
	}
}

// TestLongTextIsFound checks that the published post is found by the beginning that it shows.
func TestLongTextIsFound(t *testing.T) {
	t.Parallel()

	yes := true
	long := strings.Repeat("word ", 200)
	b := setup(t, map[string][]platformtest.Response{createCall: {ok(`{"id":"171"}`)}, statusCall: {status("PUBLISHED")}})
	b.content.Text, b.content.Options = long, post.Options{LongText: &yes}
	_, err := b.connector.Prepare(t.Context(), b.account, b.content, "")
	require.NoError(t, err)
	beginning, err := json.Marshal(b.script.Requests()[0].Form(t).Get("text"))
	require.NoError(t, err)

	found := setup(t, map[string][]platformtest.Response{
		statusCall: {status("PUBLISHED")},
		"GET /v1.0/me/threads": {ok(`{"data":[{"id":"180","text":` + string(beginning) +
			`,"permalink":"https://www.threads.net/t/180","timestamp":"2026-03-01T09:00:00+0000"}]}`)},
	})
	evidence, publication, err := found.connector.Reconcile(t.Context(), found.account, b.content, platform.Sent{
		Handle: "171", Text: long, At: now(),
	})
	require.NoError(t, err)
	require.Equal(t, platform.EvidenceFound, evidence)
	require.Equal(t, "180", publication.ExternalID)
}

package web_test

import (
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"fencepost.internal/services/mcp/internal/web"
	"fencepost.internal/shared/domain/credential"
)

// FuzzMessages checks that a key that may only draft and list posts cannot do anything else, whatever the message.
func FuzzMessages(f *testing.F) {
	b := setup(f)
	cfg := b.config(f)
	site, err := web.New(cfg)
	require.NoError(f, err)
	registry, handler := b.registry, site.Handler()
	key := b.key(f, b.ours.id, credential.PostsWrite)
	// these differ in each process
	existing := strings.NewReplacer("{post}", b.draft(f, b.ours), "{channel}", b.ours.channel.String())
	for i, seed := range []string{
		message(f, newest, "tools/call", object{"name": "publish_post", "arguments": object{"postId": "{post}"}}).body,
		message(f, newest, "tools/call", object{
			"name": "create_post", "arguments": object{"channelIds": []any{"{channel}"}, "schedule": "now"},
		}).body,
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"list_posts","name":"publish_post","arguments":{"postId":"{post}"}}}`,
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"create_post","arguments":{"channelIds":["{channel}"],"schedule":"draft","schedule":"now"}}}`,
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"list_posts"},"params":{"name":"publish_link_page"}}`,
		`[{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"publish_post"}}]`,
		`{"jsonrpc":"2.0","id":1,"method":"ping","Method":"tools/call","params":{"Name":"publish_post"}}`,
		`{"jsonrpc":"2.0","method":"tools/call","params":{"name":"publish_post"}}`,
	} {
		for _, name := range []string{"", "publish_post", "create_post"} {
			f.Add([]byte(seed), uint8(i), name)
		}
	}
	allowed := []string{"list_posts", "create_post", "unschedule_post", "request_approval"}
	f.Fuzz(func(t *testing.T, body []byte, which uint8, name string) {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/mcp",
			strings.NewReader(existing.Replace(string(body))))
		r.Header.Set("Authorization", "Bearer "+key)
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Accept", "*/*")
		r.Header.Set("Mcp-Method", "tools/call")
		r.Header.Set("Mcp-Name", name)
		if revision := append(revisions(), "")[which%4]; revision != "" {
			r.Header.Set("Mcp-Protocol-Version", revision)
		}
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, r)
		require.Less(t, w.Code, http.StatusInternalServerError, "%s", w.Body)
		families, err := registry.Gather()
		require.NoError(t, err)
		for _, family := range families {
			for _, metric := range family.GetMetric() {
				labels := map[string]string{}
				for _, label := range metric.GetLabel() {
					labels[label.GetName()] = label.GetValue()
				}
				called := metric.GetCounter().GetValue() > 0 // series start at zero
				if tool, known := labels["tool"]; called && known && !slices.Contains(allowed, tool) {
					require.Equal(t, "INSUFFICIENT_SCOPE", labels["outcome"], "%s: %s", tool, body)
				}
			}
		}
		if strings.Contains(w.Body.String(), "posts") {
			require.Zero(t, b.count(t, `post WHERE status <> 'DRAFT'`), "%s", body)
		}
	})
}

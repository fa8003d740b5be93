package e2e_test

import (
	"context"
	"encoding/json"
	"net/http"

	"socialpub.internal/services/e2e/harness"
)

func decode[T any](raw []byte) (T, error) {
	var v T
	err := json.Unmarshal(raw, &v)
	return v, err
}

// field reads a member of the first post of an answer.
func field(raw []byte, name string) string {
	var posts []map[string]any
	if json.Unmarshal(raw, &posts) != nil || len(posts) == 0 {
		return ""
	}
	value, _ := posts[0][name].(string)
	return value
}

// find looks for a post by its text among the newest ones.
func find(s *harness.System, p accepted) string {
	status, raw, err := s.Try(context.Background(), http.MethodGet, "/v1/posts?limit=10", nil)
	if err != nil || status != http.StatusOK {
		return ""
	}
	page, err := decode[struct{ Data []harness.Post }](raw)
	if err != nil {
		return ""
	}
	for _, got := range page.Data {
		if got.Content == p.text {
			return got.ID
		}
	}
	return ""
}

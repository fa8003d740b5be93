package httpcall_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"socialpub.internal/shared/platform/connectors/internal/httpcall"
)

// TestUnusualGrantsCostNoToken checks that the facts beside the tokens of a response never make it unreadable.
func TestUnusualGrantsCostNoToken(t *testing.T) {
	t.Parallel()
	type grant struct {
		Token   string           `json:"access_token"`
		Refresh httpcall.Seconds `json:"refresh_expires_in"`
		Scope   httpcall.Scope   `json:"scope"`
	}
	for given, want := range map[string]grant{
		`{}`: {},
		`{"refresh_expires_in":31536000,"scope":"a b"}`:   {Refresh: 31536000, Scope: "a b"},
		`{"refresh_expires_in":"31536000","scope":"a,b"}`: {Refresh: 31536000, Scope: "a b"},
		`{"refresh_expires_in":1.5e3,"scope":["a","b"]}`:  {Refresh: 1500, Scope: "a b"},
		`{"refresh_expires_in":-1,"scope":null}`:          {},
		`{"refresh_expires_in":1e30,"scope":{"a":1}}`:     {},
		`{"refresh_expires_in":{},"scope":7}`:             {},
	} {
		var got grant
		require.NoError(t, json.Unmarshal([]byte(given), &got), given)
		require.Equal(t, want, got, given)
	}
}

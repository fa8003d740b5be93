package httpcall_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/platform/connectors/internal/httpcall"
)

// TestUnusualGrantsKeepToken checks that the facts beside the tokens of a response never make it unreadable.
func TestUnusualGrantsKeepToken(t *testing.T) {
	t.Parallel()
	type grant struct {
		Token   string           `json:"access_token"`
		Refresh httpcall.Seconds `json:"refresh_expires_in"`
		Scope   httpcall.Scope   `json:"scope"`
	}
	longest := strings.Repeat("s", 4096)
	for given, want := range map[string]grant{
		`{}`: {},
		`{"refresh_expires_in":31536000,"scope":"a b"}`:   {Refresh: 31536000, Scope: "a b"},
		`{"refresh_expires_in":"31536000","scope":"a,b"}`: {Refresh: 31536000, Scope: "a b"},
		`{"refresh_expires_in":1.5e3,"scope":["a","b"]}`:  {Refresh: 1500, Scope: "a b"},
		`{"refresh_expires_in":-1,"scope":null}`:          {},
		`{"refresh_expires_in":1e30,"scope":{"a":1}}`:     {},
		`{"refresh_expires_in":{},"scope":7}`:             {},
		`{"refresh_expires_in":"soon","scope":"a, b"}`:    {Scope: "a b"},
		`{"refresh_expires_in":315360000}`:                {Refresh: 315360000}, // ten years
		`{"refresh_expires_in":315360001}`:                {},
		`{"scope":"` + longest + `"}`:                     {Scope: httpcall.Scope(longest)},
		`{"scope":"` + longest + `s"}`:                    {},
	} {
		var got grant
		require.NoError(t, json.Unmarshal([]byte(given), &got), given)
		require.Equal(t, want, got, given)
	}
}

// TestEmptyMemberReplacesEarlierValue checks that a member which is read as empty does not keep its earlier value.
func TestEmptyMemberReplacesEarlierValue(t *testing.T) {
	t.Parallel()
	lifetime, scope := httpcall.Seconds(60), httpcall.Scope("a")
	require.NoError(t, json.Unmarshal([]byte(`"soon"`), &lifetime))
	require.Zero(t, lifetime)
	require.NoError(t, json.Unmarshal([]byte(`7`), &scope))
	require.Empty(t, scope)
}

func TestEndOfLifetime(t *testing.T) {
	t.Parallel()
	client := setupAt("http://127.0.0.1:1").client(t)
	require.Equal(t, start().Add(time.Second), client.EndOf(1))
	require.Zero(t, client.EndOf(0))
}

package httpcall_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/platform/connectors/internal/httpcall"
)

func TestFigureParsing(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]int64{
		"0": 0, "12": 12, `"12"`: 12, "12.0": 12, "1.2e3": 1200, `"0"`: 0, "1000000000000000": 1_000_000_000_000_000,
	} {
		var f httpcall.Figure
		require.NoError(t, json.Unmarshal([]byte(text), &f), text)
		require.NotNil(t, f.Value(), text)
		require.Equal(t, want, *f.Value(), text)
	}
	for _, text := range []string{
		"null", "true", "-1", `"-1"`, "1.5", `"many"`, `""`, `" 12"`, "{}", "[]", "[1]", `{"value":1}`, "1e40",
		"1000000000000001",
		"9223372036854775808", `"NaN"`, `"Inf"`, `"0x10"`,
	} {
		f := httpcall.Count(7)
		require.NoError(t, json.Unmarshal([]byte(text), &f), text)
		require.Nil(t, f.Value(), text)
	}
}

func TestSumOfFigures(t *testing.T) {
	t.Parallel()
	require.Nil(t, httpcall.Sum().Value())
	require.Nil(t, httpcall.Sum(httpcall.Figure{}, httpcall.Figure{}).Value())
	require.Equal(t, int64(5), *httpcall.Sum(httpcall.Count(2), httpcall.Figure{}, httpcall.Count(3)).Value())
	require.Equal(t, int64(0), *httpcall.Sum(httpcall.Figure{}, httpcall.Count(0)).Value())
	require.Equal(t, httpcall.Count(1), httpcall.Count(1).Or(httpcall.Count(2)))
	require.Equal(t, httpcall.Count(2), httpcall.Figure{}.Or(httpcall.Count(2)))
	value := httpcall.Count(4).Value()
	*value = 9
	require.Equal(t, int64(4), *httpcall.Count(4).Value())
}

func TestSomeReplacesUnreadableElements(t *testing.T) {
	t.Parallel()
	type element struct {
		ID string `json:"id"`
	}
	for text, want := range map[string]httpcall.Some[element]{
		`[{"id":"1"},{"id":2},7,null,[],{"id":"3","more":{}}]`: {{ID: "1"}, {}, {ID: "3"}},
		`[]`:   {},
		`null`: nil,
	} {
		list := httpcall.Some[element]{{ID: "before"}}
		require.NoError(t, json.Unmarshal([]byte(text), &list))
		require.Equal(t, want, list)
	}
	for _, text := range []string{"7", `"a"`, `{"0":{}}`, "true"} {
		var list httpcall.Some[element]
		require.Error(t, json.Unmarshal([]byte(text), &list), text)
	}
}

func TestMaybeIgnoresWrongTypes(t *testing.T) {
	t.Parallel()
	var into struct {
		A httpcall.Maybe[string]         `json:"a"`
		B httpcall.Maybe[map[string]int] `json:"b"`
		C httpcall.Maybe[bool]           `json:"c"`
	}
	require.NoError(t, json.Unmarshal([]byte(`{"a":7,"b":{"x":1},"c":"yes"}`), &into))
	require.Empty(t, into.A.Value)
	require.Equal(t, map[string]int{"x": 1}, into.B.Value)
	require.False(t, into.C.Value)
}

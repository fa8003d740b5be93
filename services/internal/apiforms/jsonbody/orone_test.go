package jsonbody_test

import (
	"reflect"
	"testing"

	"github.com/danielgtaylor/huma/v2"
	"github.com/stretchr/testify/require"

	"fencepost.internal/services/internal/apiforms/jsonbody"
)

// TestOnlyItemInsteadOfList sends one item instead of a list, valid and faulty, before and after other members.
func TestOnlyItemInsteadOfList(t *testing.T) {
	t.Parallel()
	type filter struct {
		Kind []string `json:"kind,omitempty" enum:"A,B"`
		Name string   `json:"name,omitempty" maxLength:"2"`
	}
	registry := huma.NewMapRegistry("#/components/schemas/", huma.DefaultSchemaNamer)
	schema := registry.Schema(reflect.TypeFor[filter](), false, "")
	schema.Properties["kind"].Extensions = map[string]any{jsonbody.ExtensionOrOne: true}
	schema.Properties["kind"].Nullable = false
	r, err := jsonbody.New[filter](registry, schema, false)
	require.NoError(t, err)
	for body, want := range map[string]filter{
		`{"kind":"A"}`:                     {Kind: []string{"A"}},
		`{"kind" : "A" , "name" : "x"}`:    {Kind: []string{"A"}, Name: "x"},
		`{"name":"x","kind":["A","B"]}`:    {Kind: []string{"A", "B"}, Name: "x"},
		`{"name":null,"kind":"B"}`:         {Kind: []string{"B"}},
		`{"name":null,"kind":null}`:        {},
		`{"kind":"B","name":"long"}`:       {Kind: []string{"B"}},
		`{"name":"long","kind":"B"}`:       {Kind: []string{"B"}},
		`{"kind":"LOST"}`:                  {},
		`{"kind":"LOST","name":"x"}`:       {Name: "x"},
		`{"name":"x","kind":"LOST"}`:       {Name: "x"},
		`{ "name":"x" , "kind" : {"a":1}}`: {Name: "x"},
		`{"name":null,"kind":7}`:           {},
	} {
		got, _, err := r.Read([]byte(body))
		require.NoError(t, err, body)
		require.Equal(t, want, got, body)
	}
	_, faults, err := r.Read([]byte(`{"kind":"LOST"}`))
	require.NoError(t, err)
	require.Len(t, faults, 1)
	require.Equal(t, "/kind", faults[0].Pointer)
}

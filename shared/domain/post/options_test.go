package post_test

import (
	"encoding/json"
	"reflect"
	"testing"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/post"
)

// everyOption returns, for each option, options with only that option set.
func everyOption(t *testing.T) map[string]post.Options {
	t.Helper()
	options := make(map[string]post.Options)
	for i := range reflect.TypeFor[post.Options]().NumField() {
		var o post.Options
		field := reflect.ValueOf(&o).Elem().Field(i)
		switch field.Interface().(type) {
		case string:
			field.SetString("word")
		case *bool:
			field.Set(reflect.ValueOf(new(bool))) // false is an explicit value
		case *int64:
			field.Set(reflect.ValueOf(new(int64))) // zero too
		case []string:
			field.Set(reflect.ValueOf([]string{"one", "two"}))
		default:
			require.Fail(t, "an option of a kind that Equal was not thought through for")
		}
		options[reflect.TypeFor[post.Options]().Field(i).Name] = o
	}
	return options
}

func TestOptionsAreComparedByValue(t *testing.T) {
	t.Parallel()
	require.True(t, post.Options{}.IsZero())
	for name, o := range everyOption(t) {
		require.False(t, o.IsZero(), name)
		require.False(t, o.Equal(post.Options{}), name)
		require.True(t, o.Equal(everyOption(t)[name]), "%s: another pointer to the same", name)
		for other, o2 := range everyOption(t) {
			require.Equal(t, name == other, o.Equal(o2), "%s and %s", name, other)
		}
	}
	require.False(t, post.Options{AllowDuet: new(false)}.Equal(post.Options{AllowDuet: new(true)}))
	require.True(t, post.Options{PollOptions: []string{}}.IsZero())
}

func TestOptionsSurviveJSON(t *testing.T) {
	t.Parallel()
	raw, err := json.Marshal(post.Options{})
	require.NoError(t, err)
	require.JSONEq(t, `{}`, string(raw))
	for name, o := range everyOption(t) {
		raw, err := json.Marshal(o)
		require.NoError(t, err)
		var back post.Options
		require.NoError(t, json.Unmarshal(raw, &back))
		require.Equal(t, o, back, name)
	}
}

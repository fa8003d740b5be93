package publishing_test

import (
	"fmt"
	"reflect"
	"testing"

	"github.com/stretchr/testify/require"

	"fencepost.internal/activities/publishing"
)

// TestNewPublisherChecksEveryField takes a complete configuration, sets one field at a time to each value that the field must not
// have, and expects an error. A new field is checked without a change here.
func TestNewPublisherChecksEveryField(t *testing.T) {
	t.Parallel()
	complete := newSimulation(t, 0, false).Config
	_, err := publishing.NewPublisher(complete)
	require.NoError(t, err)
	for _, field := range reflect.VisibleFields(reflect.TypeFor[publishing.Config]()) {
		for _, value := range invalid(t, field) {
			t.Run(fmt.Sprintf("%s %v", field.Name, value), func(t *testing.T) {
				t.Parallel()
				cfg := complete
				reflect.ValueOf(&cfg).Elem().FieldByIndex(field.Index).Set(value)
				_, err := publishing.NewPublisher(cfg)
				require.ErrorContains(t, err, "publishing: ")
			})
		}
	}
}

// invalid returns the values that a field of the configuration must not have: nil, or zero and below. CommitTimeout has a default,
// which zero means.
func invalid(t *testing.T, field reflect.StructField) []reflect.Value {
	t.Helper()
	zero, negative := reflect.Zero(field.Type), reflect.New(field.Type).Elem()
	switch {
	case field.Type.Kind() == reflect.Interface, field.Type.Kind() == reflect.Pointer, field.Type.Kind() == reflect.Func,
		field.Type.Kind() == reflect.Map:
		return []reflect.Value{zero}
	case negative.CanInt():
		negative.SetInt(-1)
	case negative.CanFloat():
		negative.SetFloat(-1)
	default:
		require.Fail(t, "the test has no invalid value for the field", "%s %s", field.Name, field.Type)
	}
	if field.Name == "CommitTimeout" {
		return []reflect.Value{negative}
	}
	return []reflect.Value{zero, negative}
}

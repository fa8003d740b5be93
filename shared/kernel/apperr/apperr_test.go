package apperr_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/kernel/apperr"
)

func TestCodeSurvivesWrapping(t *testing.T) {
	t.Parallel()
	cause := errors.New("connection refused")
	err := fmt.Errorf("create: %w", apperr.Wrap(cause, apperr.Unavailable, "The %s does not respond.", "database"))
	require.Equal(t, apperr.Unavailable, apperr.CodeOf(err))
	require.True(t, apperr.Is(err, apperr.Unavailable))
	require.False(t, apperr.Is(err, apperr.NotFound))
	require.ErrorIs(t, err, cause)
	require.Equal(t, "create: UNAVAILABLE: The database does not respond.: connection refused", err.Error())
}

func TestErrorsWithoutCodeAreInternal(t *testing.T) {
	t.Parallel()
	require.Equal(t, apperr.Internal, apperr.CodeOf(errors.New("x")))
	require.False(t, apperr.Is(nil, apperr.Internal))
	require.Equal(t, "NOT_FOUND: There is no such post.",
		apperr.New(apperr.NotFound, "There is no such %s.", "post").Error())
}

func TestInvalidReportsEveryFault(t *testing.T) {
	t.Parallel()
	require.NoError(t, apperr.Invalid(nil))
	fields := []apperr.Field{{Pointer: "/content", Message: "is too long"}, {Pointer: "/title", Message: "is missing"}}
	var e *apperr.Error
	require.ErrorAs(t, apperr.Invalid(fields), &e)
	require.Equal(t, apperr.ValidationFailed, e.Code)
	require.Equal(t, fields, e.Fields)
	require.Equal(t, "/content is too long; /title is missing", e.Message)
}

func TestInUseListsReferences(t *testing.T) {
	t.Parallel()
	references := []apperr.Reference{
		{Type: "POST", ID: "1", Name: "Hello"}, {Type: "WORKSPACE_LOGO", ID: "2", Name: "Acme"},
	}
	err := apperr.InUse("42", references)
	require.True(t, apperr.Is(err, apperr.MediaInUse))
	require.ErrorContains(t, err,
		"Media asset 42 is used by post 1 (Hello), workspace logo 2 (Acme); remove it there first.")
	var found *apperr.Error
	require.ErrorAs(t, err, &found)
	require.Equal(t, references, found.References)
	require.ErrorContains(t, apperr.InUse("42", nil), "a resource that was created at the same time")
}

func TestFieldsSurviveWrapping(t *testing.T) {
	t.Parallel()
	fields := []apperr.Field{{Pointer: "/title", Message: "is missing"}}
	require.Equal(t, fields, apperr.FieldsOf(fmt.Errorf("create: %w", apperr.Invalid(fields))))
	require.Empty(t, apperr.FieldsOf(errors.New("x")))
}

package apperr_test

import (
	"errors"
	"fmt"
	"io"
	"testing"

	"github.com/stretchr/testify/require"

	"socialpub.internal/shared/apperr"
)

func TestCodeSurvivesWrapping(t *testing.T) {
	t.Parallel()
	err := fmt.Errorf("load post: %w", apperr.New(apperr.NotFound, "There is no post %s.", "7"))
	require.Equal(t, apperr.NotFound, apperr.CodeOf(err))
	require.True(t, apperr.Is(err, apperr.NotFound))
	require.False(t, apperr.Is(err, apperr.Internal))
	require.EqualError(t, err, "load post: NOT_FOUND: There is no post 7.")
}

func TestAnErrorWithoutACodeIsInternal(t *testing.T) {
	t.Parallel()
	require.Equal(t, apperr.Internal, apperr.CodeOf(io.ErrUnexpectedEOF))
	require.False(t, apperr.Is(nil, apperr.Internal))
}

func TestTheCauseIsForTheLogAlone(t *testing.T) {
	t.Parallel()
	err := apperr.Wrap(io.ErrUnexpectedEOF, apperr.Unavailable, "Try again.")
	require.ErrorIs(t, err, io.ErrUnexpectedEOF)
	require.Equal(t, "Try again.", err.Message)
	require.EqualError(t, err, "UNAVAILABLE: Try again.: unexpected EOF")
}

func TestInvalidReportsEveryFault(t *testing.T) {
	t.Parallel()
	require.NoError(t, apperr.Invalid(nil))
	faults := []apperr.Field{{Pointer: "/content", Message: "is too long"}, {Message: "is no object"}}
	failure, ok := errors.AsType[*apperr.Error](apperr.Invalid(faults))
	require.True(t, ok)
	require.Equal(t, apperr.ValidationFailed, failure.Code)
	require.Equal(t, "/content is too long; is no object", failure.Message)
	require.Equal(t, faults, failure.Fields)
}

package platform_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"socialpub.internal/shared/domain/media"
	"socialpub.internal/shared/domain/post"
	"socialpub.internal/shared/platform"
)

func TestFailureOf(t *testing.T) {
	t.Parallel()
	cause := errors.New("eof")
	f := &platform.Failure{Class: platform.ClassTransient, Code: "DOWN", Message: "Down.", Cause: cause}
	wrapped := fmt.Errorf("commit: %w", f)
	require.Same(t, f, platform.FailureOf(wrapped))
	require.ErrorIs(t, wrapped, cause)
	require.Contains(t, wrapped.Error(), "transient DOWN: Down.: eof")
	unknown := platform.FailureOf(cause)
	require.Equal(t, platform.ClassUnknown, unknown.Class, "what cannot be named must not be repeated")
	require.ErrorIs(t, unknown, cause)
	require.Equal(t, "rejected X: m", (&platform.Failure{Class: platform.ClassRejected, Code: "X", Message: "m"}).Error())
}

func TestSendBy(t *testing.T) {
	t.Parallel()
	_, limited := platform.SendBy(t.Context())
	require.False(t, limited)
	at := time.Now()
	got, limited := platform.SendBy(platform.WithSendBy(t.Context(), at))
	require.True(t, limited)
	require.Equal(t, at, got)
}

func TestContentOf(t *testing.T) {
	t.Parallel()
	assets := []media.Asset{{Name: "a.jpg", Type: media.Image}}
	options := post.Options{Visibility: "PUBLIC"}
	c := platform.ContentOf(post.Post{Content: "text", Title: "title", ContentType: post.ContentVideo, Options: options},
		assets)
	require.Equal(t, platform.Content{
		ContentType: post.ContentVideo, Text: "text", Title: "title", Media: assets, Options: options,
	}, c)
}

package platform_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/media"
	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/kernel/ident"
	"fencepost.internal/shared/platform"
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

// TestAltTextsOfContent checks that a post's own text replaces that of the asset, also if it is empty.
func TestAltTextsOfContent(t *testing.T) {
	t.Parallel()
	assets := make([]media.Asset, 4)
	for i, text := range []string{"kept", "replaced", "removed", ""} {
		assets[i] = media.Asset{ID: ident.New[ident.Media](), AltText: text}
	}
	c := platform.ContentOf(post.Post{MediaAltTexts: post.AltTexts{
		assets[1].ID: "own", assets[2].ID: "", assets[3].ID: "added",
	}}, assets)
	var texts []string
	for _, asset := range c.Media {
		texts = append(texts, asset.AltText)
	}
	require.Equal(t, []string{"kept", "own", "", "added"}, texts)
	require.Equal(t, "replaced", assets[1].AltText, "the caller's assets are unchanged")
}

package media_test

import (
	"context"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/media"
	"fencepost.internal/shared/domain/workspace"
	"fencepost.internal/shared/infra/mediabox"
	"fencepost.internal/shared/infra/mediabox/mediaboxtest"
	"fencepost.internal/shared/kernel/apperr"
	"fencepost.internal/shared/kernel/ident"
)

// part starts an import of two seconds of a video.
func (b *bundle) part(t *testing.T, of media.Asset) media.Import {
	t.Helper()
	now := time.Now().UTC()
	i := media.Import{
		ID: ident.New[ident.Media](), WorkspaceID: b.owner.ID, Name: "part.mp4", CreatedAt: now, Deadline: now.Add(media.ImportLife),
		Trim: media.Trim{Of: of.ID, Start: time.Second, End: 3 * time.Second},
	}
	b.insert(t, i)
	return i
}

// TestTrimming makes a part of a video with the real child process. The video stays.
func TestTrimming(t *testing.T) {
	t.Parallel()
	b := setup(t, workspace.Free)
	b.realBox(t)
	of := b.process(t, b.arrived(t, media.ContentTypeMP4, mediaboxtest.Fixture(t, "five-seconds.mp4")))
	alt := "A kiln"
	_, err := b.media.Edit(t.Context(), b.owner.ID, of.ID, media.Edit{AltText: &alt})
	require.NoError(t, err)
	used := b.storage(t)
	i := b.part(t, of)
	for range 2 {
		_, err = b.importer.Import(t.Context(), inputOf(i))
		require.NoError(t, err, "a second run finds that it has ended")
	}
	created := b.process(t, b.reload(t, i.ID))
	require.Equal(t, []any{"part.mp4", media.Video, media.ContentTypeMP4, alt}, []any{created.Name, created.Type, created.ContentType, created.AltText})
	require.LessOrEqual(t, created.Probe.Duration, 2*time.Second)
	require.Equal(t, used+created.Size, b.storage(t))
	require.Equal(t, of.Files, b.reload(t, of.ID).Files)
	b.sweep(t, b.reload(t, of.ID), created)
}

func TestRefusedTrimming(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		before func(t *testing.T, b *bundle, of media.Asset)
		code   apperr.Code
		text   string
	}{
		"the video was deleted": {func(t *testing.T, b *bundle, of media.Asset) {
			t.Helper()
			_, err := b.media.Delete(t.Context(), b.owner.ID, of.ID)
			require.NoError(t, err)
		}, apperr.ImportFailed, "The video was deleted"},
		"its object is gone": {func(t *testing.T, b *bundle, of media.Asset) {
			t.Helper()
			require.NoError(t, b.objects.Delete(t.Context(), of.Files.Original.Key))
		}, apperr.ImportFailed, "no longer in storage"},
		"it cannot be cut": {func(_ *testing.T, b *bundle, _ media.Asset) {
			b.box.trim = func(context.Context, string, mediabox.Part, *os.File) (mediabox.Stripped, error) {
				return mediabox.Stripped{}, &mediabox.Failure{Class: mediabox.Broken}
			}
		}, apperr.ImportFailed, "cannot be trimmed. Save it as MP4"},
		"no program": {func(_ *testing.T, b *bundle, _ media.Asset) {
			b.box.trim = func(context.Context, string, mediabox.Part, *os.File) (mediabox.Stripped, error) {
				return mediabox.Stripped{}, &mediabox.Failure{Class: mediabox.ToolMissing}
			}
		}, apperr.Unavailable, "operator must install it"},
		"no room": {func(t *testing.T, b *bundle, _ media.Asset) {
			t.Helper()
			limits := b.owner.Plan.Limits()
			limits.FileSize = limits.Storage - b.storage(t) - 10
			require.NoError(t, b.usage.Reserve(t.Context(), b.owner.ID, limits.FileSize, limits))
		}, apperr.QuotaExceeded, "10 bytes are left"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := setup(t, workspace.Free)
			of := b.process(t, b.arrived(t, media.ContentTypeMP4, mediaboxtest.Fixture(t, "five-seconds.mp4")))
			i := b.part(t, of)
			tc.before(t, b, of)
			_, err := b.importer.Import(t.Context(), inputOf(i))
			require.NoError(t, err, "an outcome")
			b.requireFailed(t, i, tc.code, tc.text)
		})
	}
}

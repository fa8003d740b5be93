package media_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"image"
	"os"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/testsuite"

	mediaactivity "fencepost.internal/activities/media"
	"fencepost.internal/shared/domain/media"
	"fencepost.internal/shared/domain/workspace"
	"fencepost.internal/shared/flow"
	"fencepost.internal/shared/infra/mediabox"
	"fencepost.internal/shared/infra/mediabox/mediaboxtest"
	"fencepost.internal/shared/kernel/ident"
	"fencepost.internal/shared/platform"
)

// TestProcess processes an image with the real box.
func TestProcess(t *testing.T) {
	t.Parallel()
	b := setup(t, workspace.Free)
	b.realBox(t)
	content := jpegFile(t)
	require.Contains(t, string(content), whereabouts)
	asset := b.process(t, b.arrived(t, media.ContentTypeJPEG, content))

	sum := sha256.Sum256(content)
	require.Equal(t, sum[:], asset.Files.Original.SHA256)
	require.Equal(t, media.Probe{Width: 80, Height: 60}, asset.Probe)
	require.Empty(t, asset.Problem)
	require.WithinDuration(t, time.Now(), asset.ProcessedAt, time.Minute)
	require.Equal(t, content, b.read(t, asset.Files.Original.Key))

	published := b.read(t, asset.Files.Published.Key)
	require.NotEqual(t, asset.Files.Original.Key, asset.Files.Published.Key)
	require.NotContains(t, string(published), whereabouts)
	sum = sha256.Sum256(published)
	require.Equal(t, media.Object{
		Key: asset.Files.Published.Key, ETag: asset.Files.Published.ETag, ContentType: media.ContentTypeJPEG,
		Size: int64(len(published)), SHA256: sum[:],
	}, asset.Files.Published)

	thumbnail := b.read(t, asset.Files.Thumbnail.Key)
	require.Equal(t, int64(len(thumbnail)), asset.Files.Thumbnail.Size)
	require.Equal(t, media.ContentTypeJPEG, asset.Files.Thumbnail.ContentType)
	small, _, err := image.DecodeConfig(bytes.NewReader(thumbnail))
	require.NoError(t, err)
	require.Equal(t, 80, small.Width)
	require.NotContains(t, string(thumbnail), whereabouts)

	b.sweep(t, asset)
	b.requireNoFiles(t)

	out, err := b.processor.Process(t.Context(), flow.MediaInput{MediaID: asset.ID, WorkspaceID: asset.WorkspaceID})
	require.NoError(t, err)
	require.Equal(t, "The file was already processed.", out.Note)
}

// requireNoFiles asserts that the folder of temporary files is empty.
func (b *bundle) requireNoFiles(t *testing.T) {
	t.Helper()
	remaining, err := os.ReadDir(b.folder)
	require.NoError(t, err)
	require.Empty(t, remaining)
}

// TestUnchangedFileHasNoSecondObject checks that the file has no second object.
func TestUnchangedFileHasNoSecondObject(t *testing.T) {
	t.Parallel()
	b := setup(t, workspace.Free)
	for contentType, content := range map[string][]byte{
		media.ContentTypePNG: pngFile(t), media.ContentTypePDF: []byte("%PDF-1.7\nx\n%%EOF"),
	} {
		asset := b.process(t, b.arrived(t, contentType, content))
		require.Empty(t, asset.Problem, b.log.String())
		require.Equal(t, asset.Files.Original, asset.Files.Published, contentType)
		require.Len(t, asset.Files.Keys(), 2)
	}
}

// TestUnreadableFiles checks that the problem is recorded and that there is no thumbnail.
func TestUnreadableFiles(t *testing.T) {
	t.Parallel()
	for _, class := range []mediabox.Class{
		mediabox.Unsupported, mediabox.TooLarge, mediabox.Broken, mediabox.TimedOut, mediabox.ToolMissing,
	} {
		t.Run(string(class), func(t *testing.T) {
			t.Parallel()
			b := setup(t, workspace.Free)
			b.box.render = func(context.Context, string) (mediabox.Result, error) {
				return mediabox.Result{Probe: mediabox.Probe{Width: 9, Height: 7}},
					&mediabox.Failure{Class: class, Detail: "a decoder's words"}
			}
			asset := b.process(t, b.arrived(t, media.ContentTypeJPEG, jpegFile(t)))
			require.Equal(t, string(class), asset.Problem)
			require.True(t, asset.Processed())
			require.True(t, asset.Files.Thumbnail.IsZero())
			require.Equal(t, media.Probe{Width: 9, Height: 7}, asset.Probe, "what is known all the same")
			require.NotContains(t, string(b.read(t, asset.Files.Published.Key)), whereabouts)
			require.Contains(t, b.log.String(), `level=WARN msg="media file cannot be opened" media_id=`+asset.ID.String())
			b.sweep(t, asset)
		})
	}
}

// TestPictureWithUnparsableMetadata checks that an image whose metadata cannot be parsed has no published form.
func TestPictureWithUnparsableMetadata(t *testing.T) {
	t.Parallel()
	b := setup(t, workspace.Free)
	b.realBox(t)
	asset := b.process(t, b.arrived(t, media.ContentTypeJPEG, jpegFile(t)[:100]))
	require.Equal(t, string(mediabox.Broken), asset.Problem)
	require.True(t, asset.Files.Published.IsZero())
	require.True(t, asset.Files.Thumbnail.IsZero())
	b.sweep(t, asset)
}

// TestVideosArePublishedWithoutMetadata processes a video with a location and opens it as a connector does, also before it
// is processed.
func TestVideosArePublishedWithoutMetadata(t *testing.T) {
	t.Parallel()
	b := setup(t, workspace.Free)
	b.realBox(t)
	arrived := b.arrived(t, media.ContentTypeMP4, mediaboxtest.Fixture(t, "talkative.mp4"))
	early := b.open(t, arrived)
	asset := b.process(t, arrived)
	require.Empty(t, asset.Problem, b.log.String())
	published := b.open(t, asset)
	require.Equal(t, early, published)
	require.Len(t, published, int(asset.Files.Published.Size))
	require.NotContains(t, string(published), mediaboxtest.Canary)
	require.NotContains(t, string(published), mediaboxtest.Place)
	b.sweep(t, asset)
}

// TestVideosThatCannotBeStripped checks that such a video has no published form, and why it is not sent.
func TestVideosThatCannotBeStripped(t *testing.T) {
	t.Parallel()
	for class, sent := range map[mediabox.Class]struct {
		class platform.Class
		code  string
	}{
		mediabox.Broken:      {platform.ClassRejected, media.CodeDamaged},
		mediabox.TimedOut:    {platform.ClassTransient, mediaactivity.CodeMediaUnavailable},
		mediabox.ToolMissing: {platform.ClassOperator, mediaactivity.CodeConverterMissing},
	} {
		t.Run(string(class), func(t *testing.T) {
			t.Parallel()
			b := setup(t, workspace.Free)
			b.box.strip = func(context.Context, string, *os.File) (mediabox.Stripped, error) {
				return mediabox.Stripped{}, &mediabox.Failure{Class: class}
			}
			asset := b.process(t, b.arrived(t, media.ContentTypeMP4, video(100)))
			require.Equal(t, string(class), asset.Problem)
			require.True(t, asset.Files.Published.IsZero())
			require.False(t, asset.Files.Thumbnail.IsZero())
			for _, err := range b.both(t, asset) {
				requireFailure(t, err, sent.class, sent.code)
			}
			b.requireNoFiles(t)
		})
	}
}

func TestMissingOrModifiedObjects(t *testing.T) {
	t.Parallel()
	b := setup(t, workspace.Free)
	gone := b.arrived(t, media.ContentTypeJPEG, jpegFile(t))
	require.NoError(t, b.objects.Delete(t.Context(), gone.Files.Original.Key))
	require.Equal(t, media.ProblemGone, b.process(t, gone).Problem)

	changed := b.arrived(t, media.ContentTypeJPEG, jpegFile(t))
	other := bytes.Clone(jpegFile(t))
	other[len(other)-10] ^= 1
	b.put(t, changed.Files.Original.Key, media.ContentTypeJPEG, other)
	require.Equal(t, media.ProblemChanged, b.process(t, changed).Problem)

	shorter := b.arrived(t, media.ContentTypeJPEG, jpegFile(t))
	b.put(t, shorter.Files.Original.Key, media.ContentTypeJPEG, jpegFile(t)[:50])
	require.Equal(t, media.ProblemChanged, b.process(t, shorter).Problem)
	require.Nil(t, b.reload(t, shorter.ID).Files.Original.SHA256)
}

// TestMachineFaultsAreRetried checks that nothing is recorded, so that processing can be retried.
func TestMachineFaultsAreRetried(t *testing.T) {
	t.Parallel()
	b := setup(t, workspace.Free)
	asset := b.arrived(t, media.ContentTypeJPEG, jpegFile(t))
	broken := errors.New("no processes left")
	b.box.render = func(context.Context, string) (mediabox.Result, error) { return mediabox.Result{}, broken }
	_, err := b.processor.Process(t.Context(), flow.MediaInput{MediaID: asset.ID, WorkspaceID: asset.WorkspaceID})
	require.ErrorIs(t, err, broken)
	require.False(t, b.reload(t, asset.ID).Processed())
	b.requireNoFiles(t)
	b.box.render = nil
	b.sweep(t, b.process(t, asset))
}

// TestTimeoutIsRetried checks the retry after a timeout, because the machine may have been busy.
func TestTimeoutIsRetried(t *testing.T) {
	t.Parallel()
	b := setup(t, workspace.Free)
	slow := &mediabox.Failure{Class: mediabox.TimedOut}
	b.box.render = func(context.Context, string) (mediabox.Result, error) { return mediabox.Result{}, slow }
	asset := b.arrived(t, media.ContentTypeJPEG, jpegFile(t))

	var suite testsuite.WorkflowTestSuite
	env := suite.NewTestActivityEnvironment()
	env.RegisterActivityWithOptions(b.processor.Process, activity.RegisterOptions{Name: flow.ActivityProcess})
	_, err := env.ExecuteActivity(flow.ActivityProcess,
		flow.MediaInput{MediaID: asset.ID, WorkspaceID: asset.WorkspaceID})
	require.ErrorContains(t, err, "timed_out")
	require.False(t, b.reload(t, asset.ID).Processed())
}

// TestAssetDeletedDuringProcessing checks that no object of the asset is left.
func TestAssetDeletedDuringProcessing(t *testing.T) {
	t.Parallel()
	b := setup(t, workspace.Free)
	asset := b.arrived(t, media.ContentTypeJPEG, jpegFile(t))
	render := b.box.Render
	b.box.render = func(ctx context.Context, path string) (mediabox.Result, error) {
		_, err := b.media.Delete(ctx, b.owner.ID, asset.ID)
		require.NoError(t, err)
		b.box.render = nil
		return render(ctx, path)
	}
	in := flow.MediaInput{MediaID: asset.ID, WorkspaceID: asset.WorkspaceID}
	for range 2 {
		out, err := b.processor.Process(t.Context(), in)
		require.NoError(t, err)
		require.Equal(t, "The asset was deleted.", out.Note)
	}
	require.Len(t, b.keys(t), 1, "the original is left to the cleanup")
	b.sweep(t)
	out, err := b.processor.GiveUp(t.Context(), in)
	require.NoError(t, err)
	require.Equal(t, "The asset was deleted.", out.Note)
}

func TestConcurrentProcessing(t *testing.T) {
	t.Parallel()
	b := setup(t, workspace.Free)
	asset := b.arrived(t, media.ContentTypeJPEG, jpegFile(t))
	var group sync.WaitGroup
	faults := make([]error, 4)
	for n := range faults {
		group.Go(func() {
			_, faults[n] = b.processor.Process(t.Context(), flow.MediaInput{MediaID: asset.ID, WorkspaceID: asset.WorkspaceID})
		})
	}
	group.Wait()
	require.NoError(t, errors.Join(faults...))
	asset = b.reload(t, asset.ID)
	require.ElementsMatch(t, asset.Files.Keys(), b.keys(t), "at once, not only after the sweep")
	b.sweep(t, asset)
}

func TestGiveUp(t *testing.T) {
	t.Parallel()
	b := setup(t, workspace.Free)
	asset := b.arrived(t, media.ContentTypeJPEG, jpegFile(t))
	in := flow.MediaInput{MediaID: asset.ID, WorkspaceID: asset.WorkspaceID}
	out, err := b.processor.GiveUp(t.Context(), in)
	require.NoError(t, err)
	require.Equal(t, "Processed, with a problem: unavailable.", out.Note)
	asset = b.reload(t, asset.ID)
	require.Equal(t, media.ProblemUnavailable, asset.Problem)
	require.True(t, asset.Files.Published.IsZero())
	out, err = b.processor.GiveUp(t.Context(), in)
	require.NoError(t, err)
	require.Equal(t, "The file was already processed.", out.Note)
	b.sweep(t, asset)

	_, err = b.processor.Process(t.Context(), flow.MediaInput{MediaID: ident.New[ident.Media](), WorkspaceID: b.owner.ID})
	require.NoError(t, err)
}

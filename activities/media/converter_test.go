package media_test

import (
	"bytes"
	"context"
	"errors"
	"image"
	"image/jpeg"
	"net/http"
	"os"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	mediaactivity "fencepost.internal/activities/media"
	"fencepost.internal/shared/domain/media"
	"fencepost.internal/shared/domain/workspace"
	"fencepost.internal/shared/infra/mediabox"
	"fencepost.internal/shared/infra/postgres/postgrestest"
	"fencepost.internal/shared/kernel/ident"
	"fencepost.internal/shared/platform"
)

// half is a form of half the size of the test's pictures.
func half() media.Form {
	return media.Form{ContentType: media.ContentTypeJPEG, Width: 40, Height: 30, MaxSize: 1 << 20}
}

// TestMakeRendition converts a file with a real child process, and opens the result as a connector does.
func TestMakeRendition(t *testing.T) {
	t.Parallel()
	b := setup(t, workspace.Free)
	b.realBox(t)
	asset := b.process(t, b.arrived(t, media.ContentTypePNG, pngFile(t)))
	stored, err := b.converter.Stored(t.Context(), []media.Asset{asset}, []media.Form{half()})
	require.NoError(t, err)
	require.Equal(t, []media.Asset{asset}, stored, "there is none yet")

	created, err := b.converter.Make(t.Context(), asset, half())
	require.NoError(t, err)
	require.Equal(t, []any{asset.ID, media.ContentTypeJPEG, media.Probe{Width: 40, Height: 30}},
		[]any{created.ID, created.ContentType, created.Probe})
	content := b.open(t, created)
	require.Equal(t, created.Size, int64(len(content)))
	shown, err := jpeg.Decode(bytes.NewReader(content))
	require.NoError(t, err)
	require.Equal(t, image.Rect(0, 0, 40, 30), shown.Bounds())
	link, err := b.files.Link(t.Context(), created)
	require.NoError(t, err)
	require.Contains(t, link, created.Files.Published.Key)

	stored, err = b.converter.Stored(t.Context(), []media.Asset{asset, asset}, []media.Form{{}, half()})
	require.NoError(t, err)
	require.Equal(t, []media.Asset{asset, created}, stored, "the zero form is the asset itself")
	other := half()
	other.Width--
	stored, err = b.converter.Stored(t.Context(), []media.Asset{asset}, []media.Form{other})
	require.NoError(t, err)
	require.Equal(t, []media.Asset{asset}, stored, "another form")
	b.sweep(t, created)
	require.Equal(t, asset.Size, b.storage(t), "renditions do not count as storage")

	_, err = b.media.Delete(t.Context(), b.owner.ID, asset.ID)
	require.NoError(t, err)
	b.sweep(t)
	require.Empty(t, postgrestest.Column(t, b.address, `SELECT form FROM media_rendition`))
}

// TestRenditionIsCreatedOnce makes a form several times at once. All executions get the same object, and no other one
// remains.
func TestRenditionIsCreatedOnce(t *testing.T) {
	t.Parallel()
	b := setup(t, workspace.Free)
	asset := b.process(t, b.arrived(t, media.ContentTypePNG, pngFile(t)))
	created, errs := make([]media.Asset, 8), make([]error, 8)
	var group sync.WaitGroup
	for i := range created {
		group.Go(func() { created[i], errs[i] = b.converter.Make(t.Context(), asset, half()) })
	}
	group.Wait()
	for i := range created {
		require.NoError(t, errs[i])
		require.Equal(t, created[0], created[i])
	}
	b.sweep(t, created[0])
}

// TestReprocessingDeletesRenditions checks that a file that is processed again loses its renditions, whose
// objects the cleanup deletes.
func TestReprocessingDeletesRenditions(t *testing.T) {
	t.Parallel()
	b := setup(t, workspace.Free)
	asset := b.process(t, b.arrived(t, media.ContentTypePNG, pngFile(t)))
	_, err := b.converter.Make(t.Context(), asset, half())
	require.NoError(t, err)
	postgrestest.Exec(t, b.address, `UPDATE media SET processed_at = NULL, process_again = now()`)
	again := b.process(t, asset)
	stored, err := b.converter.Stored(t.Context(), []media.Asset{again}, []media.Form{half()})
	require.NoError(t, err)
	require.Equal(t, []media.Asset{again}, stored)
	b.sweep(t, again)
}

// TestRenditionFailures checks the class and the code of each failure, and that none leaves an object.
func TestRenditionFailures(t *testing.T) {
	t.Parallel()
	fails := func(err error) func(t *testing.T, b *bundle, asset media.Asset) media.Asset {
		return func(_ *testing.T, b *bundle, asset media.Asset) media.Asset {
			b.box.convert = func(context.Context, string, mediabox.Target, *os.File) (mediabox.Converted, error) {
				return mediabox.Converted{}, err
			}
			return asset
		}
	}
	for name, c := range map[string]struct {
		arrange func(t *testing.T, b *bundle, asset media.Asset) media.Asset
		class   platform.Class
		code    string
	}{
		"broken":      {fails(&mediabox.Failure{Class: mediabox.Broken}), platform.ClassRejected, mediaactivity.CodeMediaUnconvertible},
		"too large":   {fails(&mediabox.Failure{Class: mediabox.TooLarge}), platform.ClassRejected, mediaactivity.CodeMediaUnconvertible},
		"a busy box":  {fails(&mediabox.Failure{Class: mediabox.TimedOut}), platform.ClassTransient, mediaactivity.CodeMediaUnconvertible},
		"no program":  {fails(&mediabox.Failure{Class: mediabox.ToolMissing}), platform.ClassOperator, mediaactivity.CodeConverterMissing},
		"the machine": {fails(errors.New("no space")), platform.ClassTransient, mediaactivity.CodeMediaUnconvertible},
		"not processed": {
			func(t *testing.T, b *bundle, _ media.Asset) media.Asset {
				t.Helper()
				return b.arrived(t, media.ContentTypePNG, pngFile(t))
			},
			platform.ClassTransient, mediaactivity.CodeMediaUnavailable,
		},
		"no object": {
			func(t *testing.T, b *bundle, asset media.Asset) media.Asset {
				t.Helper()
				require.NoError(t, b.objects.Delete(t.Context(), asset.Files.Published.Key))
				return asset
			},
			platform.ClassRejected, media.CodeGone,
		},
		"no storage": {
			func(_ *testing.T, b *bundle, asset media.Asset) media.Asset {
				b.wire.at(method(http.MethodPut), full)
				return asset
			},
			platform.ClassTransient, mediaactivity.CodeMediaUnavailable,
		},
		"deleted meanwhile": {
			func(t *testing.T, b *bundle, asset media.Asset) media.Asset {
				t.Helper()
				asset.ID = ident.New[ident.Media]()
				return asset
			},
			platform.ClassRejected, media.CodeGone,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := setup(t, workspace.Free)
			asset := c.arrange(t, b, b.process(t, b.arrived(t, media.ContentTypePNG, pngFile(t))))
			before := len(b.keys(t))
			got, err := b.converter.Make(t.Context(), asset, half())
			requireFailure(t, err, c.class, c.code)
			require.Equal(t, asset, got)
			postgrestest.Exec(t, b.address, `UPDATE loose_object SET delete_after = now()`)
			_, err = b.loose.Sweep(t.Context(), 100, b.objects.Delete)
			require.NoError(t, err)
			require.Len(t, b.keys(t), before)
			require.Empty(t, postgrestest.Column(t, b.address, `SELECT form FROM media_rendition`))
		})
	}
}

// TestNewConverterRequiresDependencies checks that an incomplete configuration is refused.
func TestNewConverterRequiresDependencies(t *testing.T) {
	t.Parallel()
	_, err := mediaactivity.NewConverter(mediaactivity.ConverterConfig{})
	require.ErrorContains(t, err, "media: ")
}

package media_test

import (
	"context"
	"errors"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/media"
	"fencepost.internal/shared/domain/workspace"
	"fencepost.internal/shared/flow"
	"fencepost.internal/shared/infra/mediabox"
	"fencepost.internal/shared/infra/postgres/postgrestest"
)

// again requests processing of all files again, as an operator would.
func (b *bundle) again(t *testing.T) {
	t.Helper()
	postgrestest.Exec(t, b.address, `UPDATE media SET processed_at = NULL, process_again = now()`)
}

func (b *bundle) looseKeys(t *testing.T) []string {
	t.Helper()
	return postgrestest.Column(t, b.address, `SELECT key FROM loose_object`)
}

// created returns the keys of the objects derived from a file.
func created(asset media.Asset) []string { return asset.Files.Keys()[1:] }

// TestReprocessing checks that all earlier results are replaced, also by empty ones. Earlier objects are deleted by the
// clean-up; until then they serve existing links.
func TestReprocessing(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		meanwhile func(t *testing.T, b *bundle, asset media.Asset)
		giveUp    bool
		problem   string
		probe     media.Probe
		created   int
	}{
		"all is well": {
			meanwhile: func(*testing.T, *bundle, media.Asset) {},
			probe:     media.Probe{Width: 8, Height: 6}, created: 2,
		},
		"the original is gone": {
			meanwhile: func(t *testing.T, b *bundle, asset media.Asset) {
				t.Helper()
				require.NoError(t, b.objects.Delete(t.Context(), asset.Files.Original.Key))
			},
			problem: media.ProblemGone,
		},
		"the original is another one": {
			meanwhile: func(t *testing.T, b *bundle, asset media.Asset) {
				t.Helper()
				b.put(t, asset.Files.Original.Key, media.ContentTypeJPEG, pngFile(t))
			},
			problem: media.ProblemChanged,
		},
		"no thumbnail any more": {
			meanwhile: func(_ *testing.T, b *bundle, _ media.Asset) {
				b.box.render = func(context.Context, string) (mediabox.Result, error) {
					return mediabox.Result{Probe: mediabox.Probe{Width: 9, Height: 7}}, &mediabox.Failure{Class: mediabox.ToolMissing}
				}
			},
			problem: string(mediabox.ToolMissing), probe: media.Probe{Width: 9, Height: 7}, created: 1,
		},
		"given up": {
			meanwhile: func(*testing.T, *bundle, media.Asset) {}, giveUp: true,
			problem: media.ProblemUnavailable,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := setup(t, workspace.Free)
			before := b.process(t, b.arrived(t, media.ContentTypeJPEG, jpegFile(t)))
			require.Len(t, created(before), 2)
			c.meanwhile(t, b, before)
			b.again(t)
			look := b.processor.Process
			if c.giveUp {
				look = b.processor.GiveUp
			}
			_, err := look(t.Context(), flow.MediaInput{MediaID: before.ID, WorkspaceID: before.WorkspaceID})
			require.NoError(t, err)

			after := b.reload(t, before.ID)
			require.True(t, after.Processed())
			require.Equal(t, c.problem, after.Problem)
			require.Equal(t, c.probe, after.Probe)
			require.Len(t, created(after), c.created)
			require.ElementsMatch(t, created(before), b.looseKeys(t))
			require.Subset(t, b.keys(t), append(created(before), created(after)...))
		})
	}
}

// TestEarlierProblemIsCleared covers a problem that the operator did not reset.
func TestEarlierProblemIsCleared(t *testing.T) {
	t.Parallel()
	b := setup(t, workspace.Free)
	b.box.render = func(context.Context, string) (mediabox.Result, error) {
		return mediabox.Result{}, &mediabox.Failure{Class: mediabox.ToolMissing}
	}
	asset := b.process(t, b.arrived(t, media.ContentTypeJPEG, jpegFile(t)))
	require.Equal(t, string(mediabox.ToolMissing), asset.Problem)
	b.again(t)
	b.box.render = nil
	asset = b.process(t, asset)
	require.Empty(t, asset.Problem)
	require.False(t, asset.Files.Thumbnail.IsZero())
	b.sweep(t, asset)
}

func TestConcurrentReprocessing(t *testing.T) {
	t.Parallel()
	b := setup(t, workspace.Free)
	before := b.process(t, b.arrived(t, media.ContentTypeJPEG, jpegFile(t)))
	b.again(t)
	var group sync.WaitGroup
	faults := make([]error, 4)
	for n := range faults {
		group.Go(func() {
			_, faults[n] = b.processor.Process(t.Context(), flow.MediaInput{MediaID: before.ID, WorkspaceID: before.WorkspaceID})
		})
	}
	group.Wait()
	require.NoError(t, errors.Join(faults...))
	after := b.reload(t, before.ID)
	require.ElementsMatch(t, append(created(before), after.Files.Keys()...), b.keys(t))
	b.sweep(t, after)
}

// TestLateRunDeletesOnlyItsOwnObjects checks that a late run deletes only its own objects, not those of the asset.
func TestLateRunDeletesOnlyItsOwnObjects(t *testing.T) {
	t.Parallel()
	b := setup(t, workspace.Free)
	before := b.process(t, b.arrived(t, media.ContentTypeJPEG, jpegFile(t)))
	b.again(t)
	render := b.box.Render
	overtake := func() { postgrestest.Exec(t, b.address, `UPDATE media SET processed_at = now(), process_again = NULL`) }
	b.box.render = func(ctx context.Context, path string) (mediabox.Result, error) {
		b.box.render = nil
		overtake()
		return render(ctx, path)
	}
	out, err := b.processor.Process(t.Context(), flow.MediaInput{MediaID: before.ID, WorkspaceID: before.WorkspaceID})
	require.NoError(t, err)
	require.Equal(t, "The file was already processed.", out.Note)
	require.Equal(t, before.Files, b.reload(t, before.ID).Files)
	require.ElementsMatch(t, before.Files.Keys(), b.keys(t))
	b.sweep(t, before)
}

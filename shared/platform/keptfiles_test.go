package platform_test

import (
	"io"
	"testing"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/media"
	"fencepost.internal/shared/platform"
	"fencepost.internal/shared/platform/platformtest"
)

func TestKeptFilesAreOpenedOnce(t *testing.T) {
	t.Parallel()

	first, second := platformtest.Picture(t, 1), platformtest.Document()
	storage := platformtest.Files(t, first, second)
	kept := platform.KeepFiles(storage)
	for range 3 {
		for _, attachment := range []platformtest.Attachment{first, second} {
			file, err := kept.Open(t.Context(), attachment.Asset)
			require.NoError(t, err)
			content, err := io.ReadAll(file)
			require.NoError(t, err)
			require.Equal(t, attachment.Bytes, content, "each time from its start")
			require.Equal(t, attachment.Asset.Size, file.Size())
			require.Equal(t, attachment.Asset.ContentType, file.ContentType())
			require.Equal(t, attachment.Asset.Name, file.Name())
			require.NoError(t, file.Close())
		}
		// no storage needed from here
		storage.Fail(&platform.Failure{Class: platform.ClassTransient, Code: "STORAGE_DOWN"})
	}
	require.Equal(t, 2, storage.Unclosed())
	require.NoError(t, kept.Close())
	require.Zero(t, storage.Unclosed())
	require.NoError(t, kept.Close())
}

func TestKeptFilesReturnFailures(t *testing.T) {
	t.Parallel()

	picture := platformtest.Picture(t, 1)
	storage := platformtest.Files(t, picture)
	kept := platform.KeepFiles(storage)
	down := &platform.Failure{Class: platform.ClassTransient, Code: "STORAGE_DOWN"}
	storage.Fail(down)
	_, err := kept.Open(t.Context(), picture.Asset)
	require.ErrorIs(t, err, down)
	_, err = kept.Link(t.Context(), picture.Asset)
	require.ErrorIs(t, err, down)

	storage.Fail(nil)
	_, err = kept.Open(t.Context(), picture.Asset)
	require.NoError(t, err, "a failure is not kept")
	link, err := kept.Link(t.Context(), picture.Asset)
	require.NoError(t, err)
	require.NotEmpty(t, link)
	_, err = kept.Open(t.Context(), media.Asset{})
	require.Error(t, err)
	require.NoError(t, kept.Close())
	require.Zero(t, storage.Unclosed())
}

package mediabox_test

import (
	"bytes"
	"log/slog"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/infra/mediabox"
	"fencepost.internal/shared/infra/mediabox/mediaboxtest"
	"fencepost.internal/shared/kernel/clock"
)

func TestNewRequiresConfig(t *testing.T) {
	t.Parallel()
	logger := slog.New(slog.DiscardHandler)
	for name, config := range map[string]mediabox.Config{
		"no clock":             {Logger: logger},
		"no logger":            {Clock: clock.System()},
		"negative concurrency": {Clock: clock.System(), Logger: logger, Concurrency: -1},
		"no folder":            {Clock: clock.System(), Logger: logger, Folder: "testdata/absent"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := mediabox.New(t.Context(), config)
			require.Error(t, err)
		})
	}
}

// TestNewRefusesMachineWithoutIsolation uses a program that is not a child, and a child that reports a network.
func TestNewRefusesMachineWithoutIsolation(t *testing.T) {
	t.Parallel()
	network, err := os.Readlink("/proc/self/ns/net")
	require.NoError(t, err)
	open := script(t, `echo '{"report":{"filter":false,"files":true,"network":"`+network+`"}}'`)
	config := mediabox.Config{Folder: folder(t), Clock: clock.System(), Logger: slog.New(slog.DiscardHandler)}
	for _, program := range []string{"/bin/true", filepath.Join(folder(t), "absent"), open} {
		config.Program = program
		_, err := mediabox.New(t.Context(), config)
		require.ErrorIs(t, err, mediabox.ErrNoIsolation, program)
	}
	config.AllowUnconfined = true
	_, err = mediabox.New(t.Context(), config)
	require.NoError(t, err)
}

func TestMissingTools(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	absent := filepath.Join(folder(t), "absent")
	box, err := mediabox.New(t.Context(), mediabox.Config{
		Program: program, Folder: folder(t), Clock: clock.System(), Logger: slog.New(slog.NewTextHandler(&log, nil)),
		Tools: mediabox.Tools{FFmpeg: absent, PDFInfo: absent, HEIFConvert: folder(t)},
	})
	require.NoError(t, err)
	require.Equal(t, []string{"ffmpeg", "pdfinfo", "heif-convert"}, box.Missing())
	require.Contains(t, log.String(), `programs="[ffmpeg pdfinfo heif-convert]"`)
	for _, path := range []string{
		fixture("video.mp4"), fixture("short.webm"), fixture("still.heic"), write(t, mediaboxtest.PDF(10, 10, "")),
	} {
		_, err := box.Render(t.Context(), path)
		requireClass(t, mediabox.ToolMissing, err)
	}
	_, err = box.Render(t.Context(), fixture("still.webp"))
	require.NoError(t, err, "pictures need none")
}

// TestAbandonedFoldersAreRemoved checks that the folders of a killed program are removed, and no others.
func TestAbandonedFoldersAreRemoved(t *testing.T) {
	t.Parallel()
	shared := folder(t)
	old := time.Now().Add(-2 * time.Hour)
	for _, name := range []string{"mediabox-old", "mediabox-new", "other"} {
		require.NoError(t, os.Mkdir(filepath.Join(shared, name), 0o700))
		require.NoError(t, os.WriteFile(filepath.Join(shared, name, "picture.jpg"), nil, 0o600))
		if name != "mediabox-new" {
			require.NoError(t, os.Chtimes(filepath.Join(shared, name), old, old))
		}
	}
	_, err := mediabox.New(t.Context(), mediabox.Config{
		Program: program, Folder: shared, Clock: clock.System(), Logger: slog.New(slog.DiscardHandler),
	})
	require.NoError(t, err)
	left, err := filepath.Glob(filepath.Join(shared, "*"))
	require.NoError(t, err)
	require.Equal(t, []string{filepath.Join(shared, "mediabox-new"), filepath.Join(shared, "other")}, left)
}

// TestPrivateFilesStayPrivate checks that the file's folder keeps other users out, and that the child can still read
// the file.
func TestPrivateFilesStayPrivate(t *testing.T) {
	t.Parallel()
	private := filepath.Join(t.TempDir(), "private")
	require.NoError(t, os.Mkdir(private, 0o700))
	path := filepath.Join(private, "video")
	require.NoError(t, os.WriteFile(path, read(t, "video.mp4"), 0o600))
	_, err := setup(t, nil).Render(t.Context(), path)
	require.NoError(t, err)
}

func TestInaccessibleFolderIsReported(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		folder func(t *testing.T) string
		says   string
	}{
		"a file": {func(t *testing.T) string {
			t.Helper()
			return write(t, []byte("x"))
		}, "is not a folder"},
		"closed": {func(t *testing.T) string {
			t.Helper()
			closed := filepath.Join(t.TempDir(), "closed", "inner")
			require.NoError(t, os.MkdirAll(closed, 0o700))
			return closed
		}, "without access to"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := mediabox.New(t.Context(), mediabox.Config{
				Program: program, Folder: c.folder(t), Clock: clock.System(), Logger: slog.New(slog.DiscardHandler),
			})
			if name == "closed" && os.Geteuid() != 0 {
				return // the child is the same user
			}
			require.ErrorContains(t, err, c.says)
		})
	}
}

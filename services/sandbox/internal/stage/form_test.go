package stage_test

import (
	"bytes"
	"context"
	"log/slog"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"

	"fencepost.internal/services/sandbox/internal/mediastore"
	"fencepost.internal/services/sandbox/internal/stage"
	"fencepost.internal/shared/kernel/clock"
	"fencepost.internal/shared/platform/platformtest"
)

func setup(t *testing.T) *stage.Stage {
	t.Helper()
	s, err := stage.Open(stage.Config{
		Folder: t.TempDir(), Clock: clock.System(), Logger: slog.New(slog.DiscardHandler),
		Registerer: prometheus.NewRegistry(), Stopping: context.WithoutCancel(t.Context()),
	})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	return s
}

// form returns a request with a value and files.
func form(t *testing.T, files map[string][]byte) *http.Request {
	t.Helper()
	var body bytes.Buffer
	writer := multipart.NewWriter(&body)
	require.NoError(t, writer.WriteField("chat_id", "@town"))
	for name, content := range files {
		part, err := writer.CreateFormFile(name, name+".bin")
		require.NoError(t, err)
		_, err = part.Write(content)
		require.NoError(t, err)
	}
	require.NoError(t, writer.WriteField("caption", "two\nlines"))
	require.NoError(t, writer.Close())
	request := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/", &body)
	request.Header.Set("Content-Type", writer.FormDataContentType())
	return request
}

func TestOpenRequiresConfig(t *testing.T) {
	t.Parallel()

	_, err := stage.Open(stage.Config{})
	require.Error(t, err)
}

func TestReadForm(t *testing.T) {
	t.Parallel()

	s := setup(t)
	picture := platformtest.Picture(t, 1)
	request := form(t, map[string][]byte{
		"photo": picture.Bytes, "page": []byte("<html>"), "video": make([]byte, 1<<20), "empty": nil,
	})
	require.True(t, stage.IsMultipart(request))
	read, err := s.ReadForm(request, int64(len(picture.Bytes)))
	require.NoError(t, err)
	require.Equal(t, "@town", read.Values.Get("chat_id"))
	require.Equal(t, "two\nlines", read.Values.Get("caption"), "what follows a file that was refused")
	require.Len(t, read.Files, 4)
	for field, want := range map[string]error{
		"photo": nil, "page": mediastore.ErrUnsupported, "video": mediastore.ErrTooLarge, "empty": mediastore.ErrEmpty,
	} {
		file, ok := read.File(field)
		require.True(t, ok)
		require.Equal(t, field+".bin", file.Name)
		require.ErrorIs(t, file.Err, want)
	}
	photo, _ := read.File("photo")
	require.Equal(t, picture.SHA256(), photo.Item.SHA256)
	_, ok := read.File("chat_id")
	require.False(t, ok)
}

func TestReadFormRequiresCompleteForm(t *testing.T) {
	t.Parallel()

	s := setup(t)
	plain := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/", bytes.NewReader([]byte("{}")))
	require.False(t, stage.IsMultipart(plain))
	_, err := s.ReadForm(plain, 1)
	require.Error(t, err)

	whole := form(t, map[string][]byte{"photo": platformtest.Picture(t, 1).Bytes})
	var body bytes.Buffer
	_, err = body.ReadFrom(whole.Body)
	require.NoError(t, err)
	half := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/", bytes.NewReader(body.Bytes()[:body.Len()/2]))
	half.Header = whole.Header
	_, err = s.ReadForm(half, 1<<20)
	require.Error(t, err)
}

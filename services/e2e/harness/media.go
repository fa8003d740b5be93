package harness

import (
	"bytes"
	"net/http"
	"slices"
	"time"

	"github.com/stretchr/testify/require"

	fencepost "fencepost.internal/sdk/go"
	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/infra/postgres/postgrestest"
)

// Upload sends a file as clients do: start, PUT, complete.
func (s *System) Upload(name, contentType string, data []byte) fencepost.Media {
	s.t.Helper()
	started := s.StartUpload(name, contentType, len(data))
	s.Put(started, data, http.StatusOK)
	return Result(s.API.Media.CompleteUpload(s.t.Context(), started.MediaID))(s.t)
}

// StartUpload starts an upload.
func (s *System) StartUpload(name, contentType string, size int) fencepost.MediaUpload {
	s.t.Helper()
	return Result(s.API.Media.StartUpload(s.t.Context(), fencepost.StartUploadRequest{
		FileName: name, ContentType: contentType, SizeBytes: int64(size),
	}))(s.t)
}

// Put sends the bytes of an upload with the headers from the response of StartUpload.
func (s *System) Put(u fencepost.MediaUpload, data []byte, want int) {
	s.t.Helper()
	request, err := http.NewRequestWithContext(s.t.Context(), http.MethodPut, u.UploadURL, bytes.NewReader(data))
	require.NoError(s.t, err)
	for name, value := range u.Headers {
		request.Header.Set(name, value)
	}
	response, err := s.HTTP.Do(request)
	require.NoError(s.t, err)
	defer func() { _ = response.Body.Close() }()
	require.Equal(s.t, want, response.StatusCode)
}

// Media reads an asset.
func (s *System) Media(id string) fencepost.Media {
	s.t.Helper()
	return Result(s.API.Media.Get(s.t.Context(), id))(s.t)
}

// CreateWith creates one post with attachments and returns it.
func (s *System) CreateWith(
	typ channel.Type, kind fencepost.ContentType, content, schedule string, media ...string,
) fencepost.Post {
	s.t.Helper()
	posts, err := s.API.Posts.Create(s.t.Context(), fencepost.CreatePostsRequest{
		ChannelIDs: []string{s.Channels[typ].ID.String()}, Content: content, ContentType: kind, Schedule: schedule,
		MediaIDs: media,
	})
	return only(s.t, posts, err)
}

// Unprocessed returns the assets that are not processed yet.
func (s *System) Unprocessed() []string {
	s.t.Helper()
	return postgrestest.Column(s.t, s.database, `SELECT id FROM media WHERE processed_at IS NULL`)
}

// RequireFilesAgree checks that every row has its objects, and that every object has a row or is queued for deletion.
func (s *System) RequireFilesAgree() {
	s.t.Helper()
	require.Empty(s.t, s.FileDisagreements())
}

// FileDisagreements returns the rows whose object does not exist and the objects without a row.
func (s *System) FileDisagreements() []string {
	s.t.Helper()
	// Read the rows first: an object that is created meanwhile is written before its row.
	rows := postgrestest.Column(s.t, s.database,
		`SELECT k FROM media, unnest(ARRAY[object_key, published_key, thumbnail_key]) AS k WHERE k IS NOT NULL
		UNION ALL SELECT object_key FROM media_rendition
		UNION ALL SELECT object_key FROM channel_picture WHERE object_key IS NOT NULL
		UNION ALL SELECT k FROM message_file, unnest(ARRAY[object_key, thumb_key]) AS k WHERE k IS NOT NULL`)
	loose := postgrestest.Column(s.t, s.database, `SELECT key FROM loose_object`)
	stored := make(map[string]bool)
	for object, err := range s.Objects.List(s.t.Context(), "", time.Time{}) {
		require.NoError(s.t, err)
		stored[object.Key] = true
	}
	var wrong []string
	for _, key := range rows {
		if !stored[key] {
			wrong = append(wrong, "a row references the object "+key+", which does not exist")
		}
	}
	for _, key := range slices.Concat(rows, loose) {
		delete(stored, key)
	}
	for key := range stored {
		wrong = append(wrong, "no row references the object "+key)
	}
	return wrong
}

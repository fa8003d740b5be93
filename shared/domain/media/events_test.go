package media_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/event"
	"fencepost.internal/shared/domain/media"
	"fencepost.internal/shared/kernel/ident"
)

func TestEventOfProcessedFile(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, time.March, 1, 10, 0, 0, 0, time.UTC)
	for problem, code := range map[media.Problem]string{
		"": "", media.ProblemBroken: "MEDIA_DAMAGED", media.ProblemChanged: "MEDIA_DAMAGED", media.ProblemGone: "MEDIA_GONE",
		media.ProblemLocked: "MEDIA_LOCKED", media.ProblemTooLarge: "MEDIA_TOO_LARGE", media.ProblemTimedOut: "MEDIA_UNCHECKED",
		media.ProblemUnsupported: "MEDIA_UNSUPPORTED", media.ProblemToolMissing: "MEDIA_UNCHECKED",
		media.ProblemUnavailable: "MEDIA_UNCHECKED",
	} {
		asset := media.Asset{
			ID: ident.New[ident.Media](), WorkspaceID: ident.New[ident.Workspace](), Name: "spring.jpg", Type: media.Image,
			Problem: problem,
		}
		e, err := asset.Event(now)
		require.NoError(t, err)
		require.Equal(t, asset.WorkspaceID, e.WorkspaceID)
		require.Equal(t, now, e.CreatedAt)
		var envelope struct {
			Data struct {
				event.MediaData

				Error *event.MediaError `json:"error"`
			} `json:"data"`
		}
		require.NoError(t, json.Unmarshal(e.Body, &envelope))
		require.Equal(t, event.MediaData{MediaID: asset.ID, Name: "spring.jpg", Type: "IMAGE"}, envelope.Data.MediaData)
		if code == "" {
			require.Equal(t, event.MediaReady, e.Type)
			require.Nil(t, envelope.Data.Error)
			continue
		}
		require.Equal(t, event.MediaFailed, e.Type)
		require.Equal(t, code, envelope.Data.Error.Code)
		require.NotEmpty(t, envelope.Data.Error.Message)
	}
}

package postgres

import (
	"time"

	"fencepost.internal/shared/domain/media"
	"fencepost.internal/shared/kernel/ident"
)

// mediaRow is a row of the media table, as read by statements.
type mediaRow struct {
	ID              ident.Media
	WorkspaceID     ident.Workspace
	Name            string
	Type            string
	ContentType     string
	Size            int64
	CreatedAt       time.Time
	SourceURL       *string `gorm:"column:source_url"`
	ObjectKey       string
	Etag            string
	Sha256          []byte
	PublishedKey    *string
	PublishedEtag   *string
	PublishedSize   *int64
	PublishedSha256 []byte
	ThumbnailKey    *string
	ThumbnailType   *string
	ThumbnailSize   *int64
	Width           *int
	Height          *int
	DurationMs      *int64
	Frames          *int
	Turned          bool
	ProcessedAt     *time.Time
	Problem         *string
	AltText         *string
	Labels          textArray
}

const mediaColumns = `id, workspace_id, name, type, content_type, size, created_at, source_url, object_key, etag, sha256,
	published_key, published_etag, published_size, published_sha256, thumbnail_key, thumbnail_type, thumbnail_size,
	width, height, duration_ms, frames, turned, processed_at, problem, alt_text, labels`

func fromMediaRow(r mediaRow) media.Asset {
	return media.Asset{
		ID: r.ID, WorkspaceID: r.WorkspaceID, Name: r.Name, Type: media.Type(r.Type), ContentType: r.ContentType,
		Size:      r.Size,
		CreatedAt: r.CreatedAt, SourceURL: value(r.SourceURL), AltText: value(r.AltText),
		Labels: append([]string(nil), r.Labels...), // nil if there are none
		Files: media.Files{
			Original: media.Object{Key: r.ObjectKey, ETag: r.Etag, ContentType: r.ContentType, Size: r.Size, SHA256: r.Sha256},
			Published: media.Object{
				Key: value(r.PublishedKey), ETag: value(r.PublishedEtag), ContentType: published(r), Size: value(r.PublishedSize),
				SHA256: r.PublishedSha256,
			},
			Thumbnail: media.Object{
				Key: value(r.ThumbnailKey), ContentType: value(r.ThumbnailType), Size: value(r.ThumbnailSize),
			},
		},
		Probe: media.Probe{
			Width: value(r.Width), Height: value(r.Height), Frames: value(r.Frames), Turned: r.Turned,
			Duration: time.Duration(value(r.DurationMs)) * time.Millisecond,
		},
		ProcessedAt: value(r.ProcessedAt), Problem: value(r.Problem),
	}
}

// published returns the content type of the published object, which is that of the original because it has the same
// content.
func published(r mediaRow) string {
	if r.PublishedKey == nil {
		return ""
	}
	return r.ContentType
}

// Package media defines the assets of a workspace: images, videos and documents for posts (docs/contract.md, Media).
package media

import (
	"time"

	"fencepost.internal/shared/kernel/ident"
)

// Type is the kind of an asset.
type Type string

// Types (docs/contract.md, Formats).
const (
	Image    Type = "IMAGE"
	Video    Type = "VIDEO"
	GIF      Type = "GIF"
	Document Type = "DOCUMENT"
)

// Types lists every type in the published order.
func Types() []Type { return []Type{Image, Video, GIF, Document} }

// Asset is one file of a workspace. It belongs to the workspace, not to a post: several posts can use it.
type Asset struct {
	ID          ident.Media
	WorkspaceID ident.Workspace
	Name        string
	Type        Type
	ContentType string // MIME type, sniffed from the bytes
	Size        int64  // bytes
	CreatedAt   time.Time
	SourceURL   string // attribution of an import: kept within the workspace, never fetched and never shown
	Labels      []string
	AltText     string // for people who cannot see the file; a post's own text replaces it in the content to publish

	Files       Files
	Probe       Probe     // zero until processed, and if probing failed
	ProcessedAt time.Time // when processing ended, successfully or not; zero until then
	Problem     Problem   // why the file could not be opened in full; empty if it was, or if the asset is unprocessed
}

// Edit changes the description of an asset. Fields that are nil do not change.
type Edit struct {
	Name    *string
	AltText *string // empty: none
	Labels  *[]string
}

// Opens reports whether the service can open files of a content type, to measure them and to make thumbnails. It opens
// no documents of Office.
func Opens(contentType string) bool {
	switch contentType {
	case ContentTypeDOC, ContentTypeDOCX, ContentTypePPT, ContentTypePPTX:
		return false
	default:
		return true
	}
}

// Processed reports whether the file was processed.
func (a Asset) Processed() bool { return !a.ProcessedAt.IsZero() }

// Probe holds the properties that a file states about its content.
type Probe struct {
	// Width and Height are the display size, upright and with square pixels: in pixels, or in points for PDF.
	Width, Height int
	Duration      time.Duration // of a video or an animated GIF; zero if there is none or it is unknown
	Frames        int           // of a GIF, an animated PNG or WebP; for PDF the number of pages
	Turned        bool          // the pixels are stored on their side or mirrored, and metadata says how to show them
}

// IsZero reports whether no property is known.
func (p Probe) IsZero() bool { return p == Probe{} }

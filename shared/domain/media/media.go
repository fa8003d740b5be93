// Package media holds the assets of a workspace: pictures, films and documents that posts can carry (specification, Media
// asset; decisions, section 6).
package media

import (
	"time"

	"socialpub.internal/shared/kernel/ident"
)

// Type is the kind of an asset.
type Type string

// The types of the specification.
const (
	Image    Type = "IMAGE"
	Video    Type = "VIDEO"
	GIF      Type = "GIF"
	Document Type = "DOCUMENT"
)

// Types lists every type in the specification's order.
func Types() []Type { return []Type{Image, Video, GIF, Document} }

// Asset is one file of a workspace. It belongs to the workspace, not to a post: many posts can carry it.
type Asset struct {
	ID          ident.Media
	WorkspaceID ident.Workspace
	Name        string
	Type        Type
	ContentType string // MIME type, sniffed from the bytes
	Size        int64  // bytes
	CreatedAt   time.Time
	SourceURL   string // attribution of an import: kept within the workspace, never fetched and never shown

	Files       Files
	Probe       Probe     // zero until the file was looked into, and for good when that failed
	ProcessedAt time.Time // when looking into the file ended, well or not; zero until then
	Problem     string    // why there is no thumbnail, in a word; empty when there is one, or none yet
}

// Processed reports whether the file was looked into.
func (a Asset) Processed() bool { return !a.ProcessedAt.IsZero() }

// Probe is what a file says of its content.
type Probe struct {
	// Width and Height are the size in which it is shown, upright and with square pixels: in pixels, for PDF in points.
	Width, Height int
	Duration      time.Duration // of a film or an animated GIF; zero when there is none, or the file does not say
	Frames        int           // of a GIF; for PDF its pages
}

// IsZero reports that nothing is known.
func (p Probe) IsZero() bool { return p == Probe{} }

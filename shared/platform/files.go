package platform

import (
	"context"
	"io"

	"fencepost.internal/shared/domain/media"
)

// Files gives connectors the attachments of a post in their published form: without location, camera data and other
// metadata of the original (docs/contract.md, Published files). Errors are Failures: transient if storage does not
// respond, rejected if the file is missing or has changed.
type Files interface {
	// Open opens an attachment. Before Open returns, the whole file has been fetched and verified. A call that sends
	// the file therefore cannot fail midway because of the service's own storage.
	Open(ctx context.Context, asset media.Asset) (File, error)
	// Link returns a URL at which a network can fetch the attachment without extra headers for at least one day. The
	// URL contains only ASCII characters.
	Link(ctx context.Context, asset media.Asset) (string, error)
}

// File is an open attachment. The caller of Open closes it.
type File interface {
	io.ReadSeekCloser
	io.ReaderAt

	Size() int64         // bytes; may differ from the asset's size
	ContentType() string // MIME type
	Name() string        // a generic name with the correct extension, like photo.jpg; it reveals nothing else
}

// Restricter is a connector whose application may not publish everything that its network takes.
type Restricter interface {
	Connector
	// Gaps returns what the application may not publish, or publishes in another way.
	Gaps(content Content) []Finding
}

// Carrier is a connector that publishes attachments. Other connectors publish only text.
type Carrier interface {
	Connector
	// CarriesMedia is a marker: the connector uses Content.Media and Content.Files.
	CarriesMedia()
}

package platform

import (
	"context"
	"io"

	"socialpub.internal/shared/domain/media"
)

// Files gives connectors the attachments of a post as they are published: without the place, the camera and whatever else
// the original says beside its content (decisions, section 6). Errors are Failures: transient when storage does not answer,
// rejected when the file is gone or is not what it was.
type Files interface {
	// Open reads an attachment. All of it has arrived and was found whole before Open returns, so that a call that sends it
	// cannot break off for our own sake.
	Open(ctx context.Context, asset media.Asset) (File, error)
	// Link is an address at which a network can fetch the attachment, without a header and for a day at least. It has
	// nothing but ASCII characters.
	Link(ctx context.Context, asset media.Asset) (string, error)
}

// File is an attachment at hand. Whoever opened it closes it.
type File interface {
	io.ReadSeekCloser
	io.ReaderAt

	Size() int64         // bytes; not always those of the asset
	ContentType() string // MIME type
	Name() string        // a name with the right ending that tells nothing else, like photo.jpg
}

// Carrier is a connector that publishes attachments; the others publish text alone.
type Carrier interface {
	Connector
	// CarriesMedia is only there to tell that Content.Media and Content.Files are used.
	CarriesMedia()
}

package media

import "socialpub.internal/shared/domain/media"

// attachment is a spool as connectors see it.
type attachment struct {
	spool       *spool
	contentType string
}

// Read reads on.
func (a *attachment) Read(p []byte) (int, error) { return a.spool.Read(p) }

// ReadAt reads anywhere.
func (a *attachment) ReadAt(p []byte, offset int64) (int, error) { return a.spool.ReadAt(p, offset) }

// Seek goes anywhere.
func (a *attachment) Seek(offset int64, whence int) (int64, error) {
	return a.spool.Seek(offset, whence)
}

// Close removes the file.
func (a *attachment) Close() error { return a.spool.Close() }

// Size is that of what is sent, in bytes.
func (a *attachment) Size() int64 { return a.spool.size }

// ContentType is that of the asset.
func (a *attachment) ContentType() string { return a.contentType }

// Name tells nothing but the type.
func (a *attachment) Name() string { return plainName(a.contentType) }

// plainName is a file name that says nothing of the file but its type.
func plainName(contentType string) string {
	switch contentType {
	case media.ContentTypeJPEG:
		return "photo.jpg"
	case media.ContentTypePNG:
		return "photo.png"
	case media.ContentTypeWebP:
		return "photo.webp"
	case media.ContentTypeHEIC:
		return "photo.heic"
	case media.ContentTypeGIF:
		return "animation.gif"
	case media.ContentTypeMP4:
		return "video.mp4"
	case media.ContentTypeMOV:
		return "video.mov"
	case media.ContentTypeWebM:
		return "video.webm"
	case media.ContentTypePDF:
		return "document.pdf"
	default:
		return "file"
	}
}

package media

import "fencepost.internal/shared/domain/media"

// attachment implements platform.File for a spool.
type attachment struct {
	spool       *spool
	contentType string
}

// Read reads the next bytes of the file.
func (a *attachment) Read(p []byte) (int, error) { return a.spool.Read(p) }

// ReadAt reads at an offset.
func (a *attachment) ReadAt(p []byte, offset int64) (int, error) { return a.spool.ReadAt(p, offset) }

// Seek sets the position of the next Read.
func (a *attachment) Seek(offset int64, whence int) (int64, error) {
	return a.spool.Seek(offset, whence)
}

// Close removes the file.
func (a *attachment) Close() error { return a.spool.Close() }

// Size returns the number of bytes sent.
func (a *attachment) Size() int64 { return a.spool.size }

// ContentType returns the content type of the asset.
func (a *attachment) ContentType() string { return a.contentType }

// Name returns a file name that reveals only the type.
func (a *attachment) Name() string { return plainName(a.contentType) }

// plainName returns a file name that reveals nothing about the file except its type.
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
	case media.ContentTypeAVIF:
		return "photo.avif"
	case media.ContentTypePDF:
		return "document.pdf"
	case media.ContentTypeDOC:
		return "document.doc"
	case media.ContentTypeDOCX:
		return "document.docx"
	case media.ContentTypePPT:
		return "document.ppt"
	case media.ContentTypePPTX:
		return "document.pptx"
	default:
		return "file"
	}
}

package rules

import "fencepost.internal/shared/domain/media"

// Format is the MIME type of a file that the service stores (docs/contract.md, Formats).
type Format string

// The formats that networks list.
const (
	JPEG Format = "image/jpeg"
	PNG  Format = "image/png"
	WebP Format = "image/webp"
	GIF  Format = "image/gif"
	HEIC Format = "image/heic"
	MP4  Format = "video/mp4"
	MOV  Format = "video/quicktime"
	WebM Format = "video/webm"
	AVIF Format = media.ContentTypeAVIF
	PDF  Format = "application/pdf"
	DOC  Format = media.ContentTypeDOC
	DOCX Format = media.ContentTypeDOCX
	PPT  Format = media.ContentTypePPT
	PPTX Format = media.ContentTypePPTX
)

// Name returns the format's usual name.
func (f Format) Name() string {
	switch f {
	case JPEG:
		return "JPEG"
	case PNG:
		return "PNG"
	case WebP:
		return "WebP"
	case GIF:
		return "GIF"
	case HEIC:
		return "HEIC"
	case MP4:
		return "MP4"
	case MOV:
		return "MOV"
	case WebM:
		return "WebM"
	case AVIF:
		return "AVIF"
	case PDF:
		return "PDF"
	case DOC:
		return "Word (DOC)"
	case DOCX:
		return "Word (DOCX)"
	case PPT:
		return "PowerPoint (PPT)"
	case PPTX:
		return "PowerPoint (PPTX)"
	default:
		return string(f)
	}
}

// describe returns a noun phrase with article for an attachment.
func describe(asset media.Asset) string {
	name := Format(asset.ContentType).Name()
	switch {
	case asset.Type == media.GIF, Format(asset.ContentType) == GIF:
		return article(noun(media.GIF))
	case name == "":
		return article(noun(asset.Type))
	}
	return article(name + " " + noun(asset.Type))
}

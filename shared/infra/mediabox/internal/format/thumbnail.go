package format

import (
	"bytes"
	"image"
	"image/jpeg"
	"image/png"

	"fencepost.internal/shared/domain/media"
)

// Encoded is an encoded small picture.
type Encoded struct {
	Data          []byte
	ContentType   string
	Width, Height int
}

// Thumbnail decodes a file that passed Inspect and returns its first picture upright, with at most side pixels on the
// longer side, never enlarged: as JPEG, or as PNG if it has transparency.
func Thumbnail(file File, info Info, side int) (Encoded, error) {
	decoded, at, err := decode(file)
	if err != nil {
		return Encoded{}, classify(err)
	}
	canvas := image.Pt(info.Width, info.Height)
	if !decoded.Bounds().Sub(decoded.Bounds().Min).Add(at).In(image.Rectangle{Max: canvas}) {
		return Encoded{}, Fail(Broken, "the image is larger than declared")
	}
	return encode(shrink(placed{decoded, canvas, at, info.Orientation}, side))
}

func encode(small *image.RGBA) (Encoded, error) {
	const quality = 82
	result := Encoded{ContentType: media.ContentTypeJPEG, Width: small.Rect.Dx(), Height: small.Rect.Dy()}
	var data bytes.Buffer
	var err error
	if small.Opaque() {
		err = jpeg.Encode(&data, small, &jpeg.Options{Quality: quality})
	} else {
		result.ContentType = media.ContentTypePNG
		err = png.Encode(&data, small)
	}
	result.Data = data.Bytes()
	return result, err
}

package format

import (
	"bytes"
	"image"
	"image/jpeg"
	"math"

	"fencepost.internal/shared/domain/media"
)

// Target describes the wanted JPEG. Zero fields require nothing.
type Target struct {
	Width  int // of the upright picture
	Height int
	Size   int64 // maximum number of bytes
}

// Convert decodes a file that passed Inspect and returns its first picture as JPEG: upright, without transparency, and
// with no metadata except the colour profile. The picture has the size of the target, or less if the file would have
// too many bytes otherwise. It is never enlarged.
func Convert(file File, info Info, to Target) (Encoded, error) {
	decoded, at, err := decode(file)
	if err != nil {
		return Encoded{}, classify(err)
	}
	canvas := image.Pt(info.Width, info.Height)
	if !decoded.Bounds().Sub(decoded.Bounds().Min).Add(at).In(image.Rectangle{Max: canvas}) {
		return Encoded{}, Fail(Broken, "the image is larger than declared")
	}
	size := canvas
	wide, high := info.Shown()
	if to.Width > 0 && to.Height > 0 && to.Width <= wide && to.Height <= high {
		if size = image.Pt(to.Width, to.Height); sideways(info.Orientation) {
			size = image.Pt(to.Height, to.Width)
		}
	}
	shown := resize(placed{decoded, canvas, at, info.Orientation}, size)
	whiten(shown)
	return fit(shown, profile(file), to.Size)
}

// whiten puts a picture on white. Its colours are premultiplied by alpha.
func whiten(picture *image.RGBA) {
	const opaque = 0xFF
	for i := 0; i+channels <= len(picture.Pix); i += channels {
		pixel := picture.Pix[i:][:channels]
		if rest := opaque - pixel[3]; rest > 0 {
			pixel[0], pixel[1], pixel[2], pixel[3] = pixel[0]+rest, pixel[1]+rest, pixel[2]+rest, opaque
		}
	}
}

// qualities are tried in this order. Below the last one artefacts become visible, and fewer pixels look better.
var qualities = [...]int{90, 82, 74}

// fit encodes the picture with at most largest bytes; zero means any number.
func fit(picture *image.RGBA, profile []byte, largest int64) (Encoded, error) {
	const (
		tries   = 8
		farAway = 3    // a file of more than this many times the limit needs fewer pixels in any quality
		margin  = 0.95 // of the side that would fit if all pixels took the same number of bytes
	)
	for range tries {
		var size int64
		for _, quality := range qualities {
			var data bytes.Buffer
			if err := jpeg.Encode(&data, picture, &jpeg.Options{Quality: quality}); err != nil {
				return Encoded{}, err
			}
			whole := withProfile(data.Bytes(), profile)
			if size = int64(len(whole)); largest == 0 || size <= largest {
				return Encoded{
					Data: whole, ContentType: media.ContentTypeJPEG, Width: picture.Rect.Dx(), Height: picture.Rect.Dy(),
				}, nil
			}
			if size > farAway*largest {
				break
			}
		}
		factor := math.Sqrt(float64(largest)/float64(size)) * margin
		smaller := image.Pt(max(1, int(float64(picture.Rect.Dx())*factor)), max(1, int(float64(picture.Rect.Dy())*factor)))
		picture = resize(placed{picture, picture.Rect.Max, image.Point{}, 1}, smaller)
	}
	return Encoded{}, Fail(TooLarge, "no JPEG of the picture has at most %d bytes", largest)
}

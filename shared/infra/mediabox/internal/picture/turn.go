package picture

import "image"

// sideways reports whether the orientation swaps width and height.
func sideways(orientation int) bool { return orientation >= 5 && orientation <= 8 }

// turn applies the orientation to a picture (EXIF 2.32, 4.6.4, tag 274): 1 is upright, 2 mirrored, 3 upside down, 4
// both, and 5 to 8 are on their side.
func turn(source *image.RGBA, orientation int) *image.RGBA {
	if orientation <= 1 || orientation > 8 {
		return source
	}
	const channels = 4
	width, height := source.Rect.Dx(), source.Rect.Dy()
	shown := image.Rect(0, 0, width, height)
	if sideways(orientation) {
		shown = image.Rect(0, 0, height, width)
	}
	result := image.NewRGBA(shown)
	for y := range shown.Dy() {
		for x := range shown.Dx() {
			from := origin(orientation, image.Pt(x, y), image.Pt(width-1, height-1))
			copy(result.Pix[y*result.Stride+x*channels:][:channels], source.Pix[from.Y*source.Stride+from.X*channels:])
		}
	}
	return result
}

// origin returns the stored position of the pixel that is shown at p; last is the last pixel of the stored picture.
func origin(orientation int, p, last image.Point) image.Point {
	switch orientation {
	case 2:
		return image.Pt(last.X-p.X, p.Y)
	case 3:
		return image.Pt(last.X-p.X, last.Y-p.Y)
	case 4:
		return image.Pt(p.X, last.Y-p.Y)
	case 5:
		return image.Pt(p.Y, p.X)
	case 6:
		return image.Pt(p.Y, last.Y-p.X)
	case 7:
		return image.Pt(last.X-p.Y, last.Y-p.X)
	case 8:
		return image.Pt(last.X-p.Y, p.X)
	default:
		return p
	}
}

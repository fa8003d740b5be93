package format

import "image"

// sideways reports whether the orientation swaps width and height.
func sideways(orientation int) bool { return orientation >= 5 && orientation <= 8 }

// placeUpright is a picture that is turned while its rows are written (EXIF 2.32, 4.6.4, tag 274): orientation 1 is upright, 2
// mirrored, 3 upside down, 4 both, and 5 to 8 are on their side.
type placeUpright struct {
	*image.RGBA
	orientation int
	last        image.Point // the last pixel as stored
}

// newUpright returns a picture whose size as stored is size.
func newUpright(size image.Point, orientation int) placeUpright {
	shown := size
	if sideways(orientation) {
		shown = image.Pt(size.Y, size.X)
	}
	return placeUpright{image.NewRGBA(image.Rectangle{Max: shown}), orientation, size.Sub(image.Pt(1, 1))}
}

// put writes a row of the picture as stored.
func (u placeUpright) put(y int, row []byte) {
	if u.orientation <= 1 || u.orientation > 8 {
		copy(u.Pix[y*u.Stride:][:u.Stride], row)
		return
	}
	for x := range u.last.X + 1 {
		at := u.place(image.Pt(x, y))
		copy(u.Pix[at.Y*u.Stride+at.X*channels:][:channels], row[x*channels:])
	}
}

// place returns the position at which the pixel stored at p is shown.
func (u placeUpright) place(p image.Point) image.Point {
	switch u.orientation {
	case 2:
		return image.Pt(u.last.X-p.X, p.Y)
	case 3:
		return image.Pt(u.last.X-p.X, u.last.Y-p.Y)
	case 4:
		return image.Pt(p.X, u.last.Y-p.Y)
	case 5:
		return image.Pt(p.Y, p.X)
	case 6:
		return image.Pt(u.last.Y-p.Y, p.X)
	case 7:
		return image.Pt(u.last.Y-p.Y, u.last.X-p.X)
	case 8:
		return image.Pt(p.Y, u.last.X-p.X)
	default:
		return p
	}
}

package media

import "fmt"

// Form is a form of an image that a network requires. The zero Form is the published file itself.
type Form struct {
	ContentType   string
	Width, Height int   // pixels of the upright image; zero: those of the published file
	MaxSize       int64 // bytes; zero: any. The image is made smaller if it must be.
}

// IsZero reports whether the form is the published file itself.
func (f Form) IsZero() bool { return f == Form{} }

// String returns the form as it identifies a stored rendition of an asset. It must not change.
func (f Form) String() string {
	return fmt.Sprintf("%s %dx%d %d", f.ContentType, f.Width, f.Height, f.MaxSize)
}

// Of returns the asset as it is before it is made: with the properties of the form as far as they are known.
func (f Form) Of(a Asset) Asset {
	a.ContentType = f.ContentType
	if f.Width > 0 {
		a.Probe = Probe{Width: f.Width, Height: f.Height}
	}
	if f.MaxSize > 0 {
		a.Size = min(a.Size, f.MaxSize)
	}
	return a
}

// Rendition is a stored form of an asset. It is made once, and deleted with the asset.
type Rendition struct {
	Form          Form
	Object        Object
	Width, Height int // pixels
}

// As returns the asset in a form: connectors see and open the rendition instead of the published file.
func (a Asset) As(r Rendition) Asset {
	a.ContentType, a.Size = r.Object.ContentType, r.Object.Size
	a.Files.Published = r.Object
	a.Probe = Probe{Width: r.Width, Height: r.Height}
	return a
}

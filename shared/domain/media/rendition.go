package media

import (
	"fmt"
	"time"
)

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
	if f.IsZero() {
		return a
	}
	a.Type, _ = TypeOf(f.ContentType)
	a.ContentType = f.ContentType
	if f.Width > 0 {
		a.Probe = Probe{Width: f.Width, Height: f.Height, Duration: a.loop(a.Type)}
	}
	if f.MaxSize > 0 {
		a.Size = min(a.Size, f.MaxSize)
	}
	return a
}

// ShortestLoop is the shortest duration of the video of an animation, which repeats shorter ones. Networks refuse videos
// of less than three or four seconds.
const ShortestLoop = 4 * time.Second

// Loops returns how often the video of an animation shows it.
func Loops(d time.Duration) int {
	if d <= 0 {
		return 1
	}
	return max(1, int((ShortestLoop+d-1)/d))
}

// loop returns the duration of the asset in a form of type as.
func (a Asset) loop(as Type) time.Duration {
	if as != Video {
		return 0
	}
	return a.Probe.Duration * time.Duration(Loops(a.Probe.Duration))
}

// Rendition is a stored form of an asset. It is made once, and deleted with the asset.
type Rendition struct {
	Form          Form
	Object        Object
	Width, Height int // pixels
}

// As returns the asset in a form: connectors see and open the rendition instead of the published file.
func (a Asset) As(r Rendition) Asset {
	a.Type, _ = TypeOf(r.Object.ContentType)
	a.Probe = Probe{Width: r.Width, Height: r.Height, Duration: a.loop(a.Type)}
	a.Problem = ""
	a.ContentType, a.Size = r.Object.ContentType, r.Object.Size
	a.Files.Published = r.Object
	return a
}

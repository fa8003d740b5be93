package rules

import (
	"math"
	"slices"

	"fencepost.internal/shared/domain/media"
)

// Demand is one requirement of a network on the properties of a file.
type Demand struct {
	Takes  string // the accepted values, in words: 320 to 1,440 pixels in width
	Unsure bool   // a violation is a warning
	Else   string // what the network does instead of refusing, phrased to follow "it"; a violation is then a warning

	side  func(media.Probe) side // within if the properties are unknown
	has   func(probe media.Probe, up bool) string
	raise string // the remedy for a file below the range
	lower string // the remedy for a file above the range
}

// Demands returns the network's requirements on the dimensions, the duration, and the frames or pages. A file that has
// not been probed yet violates none of them: it is probed and checked again before it is published.
func (f File) Demands() []Demand {
	all := []Demand{
		f.Shape.Width.demand("pixels in width", func(width, _ float64) float64 { return width }),
		f.Shape.Height.demand("pixels in height", func(_, height float64) float64 { return height }),
		f.Shape.Short.demand("pixels on the shorter side", math.Min),
		f.Shape.Long.demand("pixels on the longer side", math.Max),
		f.Shape.Sum.demand("pixels in width and height together",
			func(width, height float64) float64 { return width + height }),
		f.Shape.Area.demand("pixels in all", func(width, height float64) float64 { return width * height }),
		f.Shape.Ratio.demand(),
		f.Length.demand(),
		f.framesDemand(),
	}
	return slices.DeleteFunc(all, func(d Demand) bool { return d.Takes == "" })
}

func (s Span) demand(unit string, measure func(width, height float64) float64) Demand {
	if s.Min == 0 && s.Max == 0 {
		return Demand{}
	}
	return Demand{
		Takes: s.String() + " " + unit, Unsure: s.Unsure, Else: s.Else,
		side: func(probe media.Probe) side {
			width, height, known := pictured(probe)
			if !known {
				return within
			}
			return s.side(measure(width, height))
		},
		has: hasPixels, raise: "Use a larger one", lower: "Scale it down",
	}
}

func (r Ratios) demand() Demand {
	if r.String() == "" {
		return Demand{}
	}
	return Demand{
		Takes: "aspect ratio " + r.String(), Unsure: r.Unsure, Else: r.Else,
		side: func(probe media.Probe) side {
			width, height, known := pictured(probe)
			if !known {
				return within
			}
			return r.side(width, height)
		},
		has: hasPixels, raise: "Crop it", lower: "Crop it",
	}
}

func (l Length) demand() Demand {
	return Demand{
		Takes: l.String(), Unsure: l.Unsure, Else: l.Else,
		side: func(probe media.Probe) side {
			if probe.Duration <= 0 {
				return within
			}
			return l.side(probe.Duration)
		},
		has:   func(probe media.Probe, up bool) string { return "lasts " + lasting(probe.Duration, up) },
		raise: "Use a longer one", lower: "Shorten it",
	}
}

// framesDemand limits frames, or pages if the file is a document.
func (f File) framesDemand() Demand {
	if f.Frames == 0 {
		return Demand{}
	}
	unit := "frame"
	if f.Type == media.Document {
		unit = "page"
	}
	return Demand{
		Takes: "up to " + plural(f.Frames, unit),
		side:  func(probe media.Probe) side { return Span{Max: f.Frames}.side(float64(probe.Frames)) },
		has:   func(probe media.Probe, _ bool) string { return "has " + plural(probe.Frames, unit) },
		lower: "Leave some out",
	}
}

func hasPixels(probe media.Probe, _ bool) string { return "has " + pixels(probe) }

func pixels(probe media.Probe) string {
	return number(probe.Width) + " × " + number(probe.Height) + " pixels"
}

// demands checks the file's properties.
func (c *checker) demands(i int, asset media.Asset, file File) {
	for _, demand := range file.Demands() {
		at := demand.side(asset.Probe)
		if at == within {
			continue
		}
		remedy := demand.lower
		if at == below {
			remedy = demand.raise
		}
		has := demand.has(asset.Probe, at == above)
		where := c.whereDemanded(file.Type, demand)
		switch {
		case demand.Else != "":
			c.warn(pointer(i), "Attachment %d %s, and %s expects %ss of %s%s; it %s.",
				i+1, has, c.row.Name, noun(file.Type), demand.Takes, where, demand.Else)
		case demand.Unsure:
			c.warn(pointer(i), "Attachment %d %s, and %s expects %ss of %s%s. %s to be sure.",
				i+1, has, c.row.Name, noun(file.Type), demand.Takes, where, remedy)
		default:
			c.fault(pointer(i), "Attachment %d %s, and %s accepts %ss of %s%s. %s.",
				i+1, has, c.row.Name, noun(file.Type), demand.Takes, where, remedy)
		}
	}
}

// whereDemanded names the content type if the network's requirement differs for another one.
func (c *checker) whereDemanded(t media.Type, demand Demand) string {
	for _, form := range c.row.Forms {
		file, ok := form.Media.file(t)
		if ok && !slices.ContainsFunc(file.Demands(), func(d Demand) bool { return d.Takes == demand.Takes }) {
			return c.ofType
		}
	}
	return ""
}

// Alike says what the attachments of one post must have in common.
type Alike int

// The values of Alike.
const (
	Unlike Alike = iota
	// Cropped attachments are cropped to the aspect ratio of the first. Another ratio is a warning.
	Cropped
	// SameSize attachments must have the dimensions of the first. Other dimensions are an error.
	SameSize
)

// String returns the phrase that the documentation prints after the number of attachments.
func (a Alike) String() string {
	switch a {
	case Cropped:
		return "cropped to the shape of the first"
	case SameSize:
		return "of the same size"
	case Unlike:
	}
	return ""
}

// alike compares each attachment with the first one, if the dimensions of both are known.
func (c *checker) alike() {
	assets := c.content.Media
	if len(assets) < 2 || c.form.Media.Alike == Unlike || !c.form.Media.takesKinds(assets) {
		return
	}
	first := assets[0].Probe
	wide, high, known := pictured(first)
	if !known {
		return
	}
	for i, asset := range assets {
		width, height, known := pictured(asset.Probe)
		switch {
		case !known:
		case c.form.Media.Alike == Cropped && Only(wide, high).side(width, height) != within:
			c.warn(pointer(i), "Attachment %d has %s, and %s crops it to the shape of the first, which has %s. Crop it to "+
				"choose the visible part.",
				i+1, pixels(asset.Probe), c.row.Name, pixels(first))
		case c.form.Media.Alike == SameSize && (width != wide || height != high):
			c.fault(pointer(i), "Attachment %d has %s, and %s accepts several %ss only of the same size; the first has %s. "+
				"Scale them to one size.",
				i+1, pixels(asset.Probe), c.row.Name, noun(asset.Type), pixels(first))
		}
	}
}

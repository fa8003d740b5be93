package tool

// What the programs print is understood without them.
var (
	ReadProbe    = readProbe
	ReadDocument = readDocument
	ReadStill    = readStill
)

// Place tells which of how many pictures is the main one.
func (s Still) Place() (index, count int) { return s.index, s.count }

// Track is FFmpeg's name of the picture track.
func (v Video) Track() string { return v.track }

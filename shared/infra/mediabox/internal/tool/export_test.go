package tool

// Exported to test the parsing of the programs' output without the programs.
var (
	ReadProbe    = readProbe
	ReadDocument = readDocument
	ReadStill    = readStill
)

// Place returns the position of the primary picture and the number of pictures.
func (s Still) Place() (index, count int) { return s.index, s.count }

// Track returns FFmpeg's name of the picture track.
func (v Video) Track() string { return v.track }

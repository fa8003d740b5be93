package trial

// Functions without I/O, for tests.
var (
	DueWithin  = dueWithin
	NowSamples = nowSamples
	OnNetwork  = onNetwork
	Percentile = percentile
	Renamed    = renamed
)

package trial

// Functions without I/O, for tests.
var (
	OnNetwork   = onNetwork
	Percentile  = percentile
	Publication = publication
)

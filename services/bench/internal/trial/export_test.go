package trial

// Functions without I/O, for tests.
var (
	HookName    = hookName
	OnNetwork   = onNetwork
	Percentile  = percentile
	Publication = publication
)

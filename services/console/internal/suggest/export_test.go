package suggest

// What tests see.
var (
	PartsOf = parts
	InWords = inWords
)

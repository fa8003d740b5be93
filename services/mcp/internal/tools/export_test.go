package tools

// Cleaned exposes the clean-up of results.
func Cleaned(raw []byte) ([]byte, error) { return cleaned(raw) }

// Hidden exposes the set of removed characters.
func Hidden(r rune) bool { return hidden(r) }

package tools

// Cleaned gives tests what becomes of a result before an agent reads it.
func Cleaned(raw []byte) ([]byte, error) { return cleaned(raw) }

// Hidden gives tests what is taken out.
func Hidden(r rune) bool { return hidden(r) }

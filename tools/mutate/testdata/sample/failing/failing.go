// Package failing has a test that fails.
package failing

// One returns one.
func One() int { return 1 }

package password

// Occupy occupies every place for computations, until the returned function is called.
func Occupy() (release func()) {
	for range cap(running) {
		running <- struct{}{}
	}
	return func() {
		for range cap(running) {
			leave()
		}
	}
}

package mediabox

// Isolations returns the names of the ways to start a child, the strongest first.
func Isolations() []string {
	var names []string
	for _, way := range isolations() {
		names = append(names, way.name)
	}
	return names
}

// Isolate makes the box start its children in another way.
func (b *Box) Isolate(way int) { b.isolation = isolations()[way] }

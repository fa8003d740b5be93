package stage

import "sync"

// Locks are locks by name.
type Locks struct{ byName sync.Map }

// Lock locks a name, and returns the function that unlocks it.
func (l *Locks) Lock(name string) (unlock func()) {
	mutex := l.of(name)
	mutex.Lock()
	return mutex.Unlock
}

// Try locks a name. It returns false if the name is locked.
func (l *Locks) Try(name string) (unlock func(), ok bool) {
	mutex := l.of(name)
	return mutex.Unlock, mutex.TryLock()
}

func (l *Locks) of(name string) *sync.Mutex {
	lock, _ := l.byName.LoadOrStore(name, new(sync.Mutex))
	mutex, _ := lock.(*sync.Mutex) // the map holds nothing else
	return mutex
}

// shared is a list that is safe for concurrent use.
type shared[T any] struct {
	mu  sync.Mutex
	all []T
}

// List returns the elements, oldest first.
func (s *shared[T]) List() []T {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]T{}, s.all...)
}

// Clear deletes all elements.
func (s *shared[T]) Clear() { s.change(func([]T) []T { return nil }) }

func (s *shared[T]) change(of func(all []T) []T) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.all = of(s.all)
}

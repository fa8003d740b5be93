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

package stage

import (
	"net/http"
	"sync"
)

// FormRoute declares a call whose body can be a form with files. The values of the form are parameters.
type FormRoute struct {
	Route

	Limit  int64    // of a file, in bytes
	Broken Response // to a form that is not whole
	Serve  func(Request, Form) Response
}

// AddForm registers the call, whose pattern has the whole path.
func (s *Service) AddForm(mux *http.ServeMux, route FormRoute) {
	mux.HandleFunc(route.Pattern, func(w http.ResponseWriter, r *http.Request) {
		var form Form
		var body []byte
		var err error
		ok := true
		if !IsMultipart(r) {
			body, ok = ReadBody(w, r)
		} else if form, err = s.Stage.ReadForm(r, route.Limit); err != nil {
			route.Broken.Write(w)
			return
		}
		if !ok {
			return
		}
		request, refusal := s.Admit(r, append(body, form.Values.Encode()...), route.Scopes)
		if refusal != nil {
			refusal.Write(w)
			return
		}
		s.Perform(w, request, route.Step, func() Response {
			if s.Check != nil {
				var bad Check
				if request, bad = s.Check(request); bad.Broken {
					return bad.Fault
				}
			}
			return route.Serve(request, form)
		})
	})
}

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

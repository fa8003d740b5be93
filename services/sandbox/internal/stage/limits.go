package stage

import (
	"net/http"
	"sync"
	"time"

	"fencepost.internal/shared/domain/channel"
)

// Limit is one of a network's rate limits. It counts the calls of a fixed window, which begins with the first call.
type Limit struct {
	Pattern string // of the call, as it is registered; empty: every call
	Step    Step   // of the call; empty: every step
	Calls   int
	Window  time.Duration
	Shared  bool // counted over all accounts, as those of one application
}

func (l Limit) counts(r *http.Request, call Call) bool {
	return (l.Pattern == "" || l.Pattern == r.Pattern) && (l.Step == "" || l.Step == call.Step)
}

// limiter counts calls while the sandbox is strict.
type limiter struct {
	mu     sync.Mutex
	limits map[channel.Network][]Limit
	strict bool
	used   map[counter]use
}

type counter struct {
	limit   Limit
	network string
	account string
}

type use struct {
	calls int
	ends  time.Time
}

// SetStrict switches the networks' own rate limits on or off, and resets the counts. They are off by default, so
// that load tests measure the service.
func (s *Stage) SetStrict(strict bool) {
	s.limits.mu.Lock()
	defer s.limits.mu.Unlock()
	s.limits.strict, s.limits.used = strict, make(map[counter]use)
}

// Strict reports whether the networks' own rate limits are on.
func (s *Stage) Strict() bool {
	s.limits.mu.Lock()
	defer s.limits.mu.Unlock()
	return s.limits.strict
}

// Quota is the state of a limit: how many calls its window allows in all and from now on, and when it ends.
type Quota struct {
	Calls, Remaining int
	Ends             time.Time
}

// Quota returns the state of the account's tightest limit for the call. It returns false if the sandbox is not strict or
// the network does not limit the call.
func (s *Stage) Quota(r *http.Request, call Call) (tightest Quota, limited bool) {
	s.limits.mu.Lock()
	defer s.limits.mu.Unlock()
	if !s.limits.strict {
		return Quota{}, false
	}
	now := s.Clock.Now()
	for _, limit := range s.limits.limits[call.Network] {
		if !limit.counts(r, call) {
			continue
		}
		used := s.limits.current(limit, call, now)
		if remaining := limit.Calls - used.calls; !limited || remaining < tightest.Remaining {
			tightest, limited = Quota{Calls: limit.Calls, Remaining: max(remaining, 0), Ends: used.ends}, true
		}
	}
	return tightest, limited
}

// limit adds a rate limit of the network.
func (s *Stage) limit(network channel.Network, limit Limit) {
	s.limits.mu.Lock()
	defer s.limits.mu.Unlock()
	s.limits.limits[network] = append(s.limits.limits[network], limit)
}

// spend counts the call. It returns the time to wait if a limit is exhausted, and counts nothing then.
func (s *Stage) spend(r *http.Request, call Call) time.Duration {
	s.limits.mu.Lock()
	defer s.limits.mu.Unlock()
	if !s.limits.strict {
		return 0
	}
	now, counted := s.Clock.Now(), make(map[counter]use)
	for _, limit := range s.limits.limits[call.Network] {
		if !limit.counts(r, call) {
			continue
		}
		used := s.limits.current(limit, call, now)
		if used.calls >= limit.Calls {
			return used.ends.Sub(now)
		}
		used.calls++
		counted[counterOf(limit, call)] = used
	}
	for of, used := range counted {
		s.limits.used[of] = used
	}
	return 0
}

// current returns the use of the limit in its window. A window that ended, or lies ahead because the clock was moved
// back, is replaced by a new one.
func (l *limiter) current(limit Limit, call Call, now time.Time) use {
	used, known := l.used[counterOf(limit, call)]
	if !known || !now.Before(used.ends) || used.ends.Sub(now) > limit.Window {
		return use{ends: now.Add(limit.Window)}
	}
	return used
}

func counterOf(limit Limit, call Call) counter {
	of := counter{limit: limit, network: string(call.Network)}
	if !limit.Shared {
		of.account = call.Account
	}
	return of
}

// allowance is the number of calls that a network reports as allowed in a window while the sandbox is not strict. It is far
// above that of the real networks, so that load tests measure the service and not this limit. Faults simulate the limit.
const allowance = 1_000_000

// meter counts the calls of accounts in windows that begin for all at the same time.
type meter struct {
	mu    sync.Mutex
	until time.Time
	used  map[string]int
}

// metered counts the call and writes the headers of the rate limit. It returns the words with such headers.
func (s *Service) metered(w http.ResponseWriter, r Request, call Call) Words {
	quota, ok := s.Stage.Quota(r.Request, call)
	if !ok {
		quota = s.meter.count(call.Account, s.Stage.Clock.Now(), s.Window)
	}
	words := s.Words
	words.Wait = s.wait(quota.Calls)
	for name, value := range s.Quota(quota.Calls, max(0, quota.Remaining-1), quota.Ends) {
		w.Header().Set(name, value)
	}
	return words
}

// Wait returns Words.Wait of the network's calls without an account, whose headers are those of the rate limit.
func (s *Service) Wait() func(Response, int) Response { return s.wait(allowance) }

func (s *Service) wait(calls int) func(Response, int) Response {
	return func(limited Response, seconds int) Response {
		reset := s.Stage.Clock.Now().Add(time.Duration(seconds) * time.Second)
		for name, value := range s.Quota(calls, 0, reset) {
			limited = limited.With(name, value)
		}
		return limited
	}
}

func (m *meter) count(account string, now time.Time, window time.Duration) Quota {
	m.mu.Lock()
	defer m.mu.Unlock()
	if !now.Before(m.until) {
		m.until, m.used = now.Truncate(window).Add(window), make(map[string]int)
	}
	m.used[account]++
	return Quota{Calls: allowance, Remaining: allowance - m.used[account] + 1, Ends: m.until}
}

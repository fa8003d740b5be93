// Package stage contains the parts that the networks share: the ledger, the tokens, the faults, the networks' time, and
// the code that serves a network as its package declares it.
//
// A network declares itself with a Network, each of its APIs with a Service and its Routes, and its authorization server
// with an Authorization. The service reads a call, authenticates it, checks its scopes, applies faults and rate limits, and
// writes the Response of the route's function, unless a fault withholds or changes it. A function that refuses a call
// returns a Response of Refuse. Words are the network's responses to faults.
package stage

import (
	"context"
	"crypto/rand"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"path/filepath"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"fencepost.internal/services/sandbox/internal/chats"
	"fencepost.internal/services/sandbox/internal/ledger"
	"fencepost.internal/services/sandbox/internal/mediastore"
	"fencepost.internal/services/sandbox/internal/token"
	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/kernel/clock"
)

// maxBody limits a request's body, in bytes.
const maxBody = 1 << 20

// Config holds the settings of a stage. All except Networks, PublicURL and RetryScale are required.
type Config struct {
	Networks   []Network // that the sandbox simulates
	Folder     string    // for the sandbox's files
	Clock      clock.Clock
	Logger     *slog.Logger
	Registerer prometheus.Registerer
	PublicURL  string          // public address of the sandbox; empty: the address of each request
	Stopping   context.Context //nolint:containedctx // held requests end with the process, not with a call
	RetryScale float64         // factor of the pauses between the tries of a push; zero: 1
}

// Stage is shared by the networks' handlers.
type Stage struct {
	Networks   []channel.Network               // the networks that the sandbox simulates
	ReviewEnds map[channel.Network][]ReviewEnd // of the networks that review posts
	Ledger     *ledger.Ledger
	Media      *mediastore.Store
	Tokens     *token.Tokens
	Chats      *chats.Book
	Inboxes    map[channel.Network]Inbox // of the networks on which people write to accounts
	Forums     map[channel.Network]Forum // of those on which people write in public
	Faults     FaultSet
	Clock      *Clock
	Logger     *slog.Logger
	PublicURL  string

	stopping context.Context //nolint:containedctx // as Config.Stopping
	calls    *prometheus.CounterVec
	received shared[ReceivedCall]
	limits   limiter
	codes    Codes
	reviews  shared[Review]
	pushes   pushes
}

// Open opens the sandbox's files and registers its metrics. The stage is to be closed after an error too.
func Open(config Config) (*Stage, error) {
	if config.Folder == "" || config.Clock == nil || config.Logger == nil || config.Registerer == nil ||
		config.Stopping == nil {
		return &Stage{}, errors.New("stage: every part is needed")
	}
	s := &Stage{
		ReviewEnds: make(map[channel.Network][]ReviewEnd), Inboxes: make(map[channel.Network]Inbox), Forums: make(map[channel.Network]Forum),
		Clock: NewClock(config.Clock), Logger: config.Logger, pushes: newPushes(config.RetryScale),
		PublicURL: strings.TrimRight(config.PublicURL, "/"), stopping: config.Stopping,
		limits: limiter{limits: make(map[channel.Network][]Limit)},
		calls: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "sandbox_calls_total", Help: "Calls to the sandbox networks, by network, step and injected fault.",
		}, []string{"network", "step", "fault"}),
	}
	ids, policies := make(map[string]ledger.IDs), make(map[string][]token.Policy)
	for _, n := range config.Networks {
		s.Networks = append(s.Networks, n.ID)
		ids[string(n.ID)], policies[string(n.ID)], s.limits.limits[n.ID] = n.IDs, n.Tokens, n.Limits
		if n.Reviews != nil {
			s.ReviewEnds[n.ID] = n.Reviews
		}
	}
	file := func(name string) string { return filepath.Join(config.Folder, name) }
	var ledgerErr, tokensErr, mediaErr, chatsErr error
	s.Ledger, ledgerErr = ledger.Open(ledger.Config{
		Path: file("posts.jsonl"), IDs: ids, Clock: s.Clock, Logger: s.Logger,
	})
	s.Tokens, tokensErr = token.Open(token.Config{
		Path: file("tokens.jsonl"), Policies: policies, Clock: s.Clock, Logger: s.Logger,
	})
	s.Media, mediaErr = mediastore.Open(mediastore.Config{Folder: file("media"), Logger: s.Logger})
	s.Chats, chatsErr = chats.Open(config.Folder, s.Logger)
	posts := prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "sandbox_posts", Help: "Posts on the sandbox networks.",
	}, func() float64 { return float64(s.Ledger.Count()) })
	return s, errors.Join(ledgerErr, tokensErr, mediaErr, chatsErr, config.Registerer.Register(s.calls),
		config.Registerer.Register(posts))
}

// Close closes the files.
func (s *Stage) Close() error {
	var errs []error
	if s.pushes.client != nil {
		s.pushes.client.CloseIdleConnections()
	}
	if s.Ledger != nil {
		errs = append(errs, s.Ledger.Close())
	}
	if s.Tokens != nil {
		errs = append(errs, s.Tokens.Close())
	}
	if s.Chats != nil {
		errs = append(errs, s.Chats.Close())
	}
	return errors.Join(errs...)
}

// Bearer returns the token in the Authorization header. It is empty if there is none.
func Bearer(r *http.Request) string {
	bearer, _ := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	return bearer
}

// Call identifies a request for faults and the log.
type Call struct {
	Network channel.Network
	Account string
	Step    Step
	Grant   token.Grant // for a token that can expire
}

// enter applies the fault that is pending for the call, or the network's own rate limit if the sandbox is strict. It
// returns false if the call is over: enter either wrote a response in the network's words or closed the connection.
// Otherwise it returns the fault that the response still has. The request's body must have been read.
func (s *Stage) enter(w http.ResponseWriter, r *http.Request, call Call, words Words) (Fault, bool) {
	f, found := s.Faults.Take(call.Network, call.Account, call.Step)
	if !found {
		if wait := s.spend(r, call); wait > 0 {
			f, found = Fault{Kind: FaultRateLimit, DelayMs: wait.Milliseconds()}, true
		}
	}
	s.receive(ReceivedCall{
		At: s.Clock.Now(), Network: string(call.Network), Account: call.Account, Step: call.Step, Fault: f.Kind,
	})
	s.calls.WithLabelValues(string(call.Network), string(call.Step), string(f.Kind)).Inc()
	if !found {
		return f, true
	}
	s.Logger.InfoContext(r.Context(), "fault injected", slog.String("network", string(call.Network)),
		slog.String("account", call.Account), slog.String("step", string(call.Step)), slog.String("kind", string(f.Kind)))
	switch f.Kind {
	case FaultGone, FaultRedirectInside, FaultBomb: // what serves files does them
	case FaultReject:
		words.Rejected.Write(w)
	case FaultRateLimit:
		words.limited(f.RetryAfter()).Write(w)
	case FaultUnavailable:
		words.Unavailable.Write(w)
	case FaultExpiredToken:
		s.Tokens.Expire(string(call.Network), call.Grant)
		words.Unauthorized.Write(w)
	case FaultTimeoutBefore:
		s.Wait(r.Context(), f.Delay())
		s.Cut(w)
	case FaultSlow:
		return Fault{}, s.Wait(r.Context(), f.Delay())
	case FaultRejectWith200:
		words.Rejected.write(w, f.Kind, words)
	case FaultTimeoutAfterAccept, FaultErrorAfterAccept, FaultEmptyResponse, FaultMalformedResponse, FaultTruncatedResponse,
		FaultHTMLResponse, FaultHugeResponse, FaultWrongTypes, FaultHostileResponse, FaultEmptyList:
		return f, true
	case FaultDuplicate, FaultShuffle, FaultLostPush, FaultUnsigned, FaultForeignSecret, FaultChangedBody, FaultBatch,
		FaultNoStatus, FaultLateStatus, FaultStatusFirst, FaultWindowClosed:
	}
	return f, false
}

// Wait waits for the duration and returns true. It returns false earlier if the client disconnects or the process
// stops.
func (s *Stage) Wait(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	case <-s.stopping.Done():
		return false
	}
}

// Cut closes the connection without a response.
func (s *Stage) Cut(w http.ResponseWriter) {
	conn, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		s.Logger.Warn("connection not closed", slog.Any("error", err))
		return
	}
	_ = conn.Close()
}

// ReadBody reads the whole body, up to 1 MiB. If the body is larger or incomplete, it writes an error response and
// returns false.
func ReadBody(w http.ResponseWriter, r *http.Request) ([]byte, bool) {
	return ReadLargeBody(w, r, maxBody)
}

// ReadLargeBody is ReadBody with another limit, in bytes.
func ReadLargeBody(w http.ResponseWriter, r *http.Request, limit int64) ([]byte, bool) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, limit))
	if err != nil {
		w.WriteHeader(http.StatusRequestEntityTooLarge)
		return nil, false
	}
	return body, true
}

// RequestID returns the request's own id, or a new one.
func RequestID(r *http.Request) string {
	const longest = 200
	id := r.Header.Get("X-Request-Id")
	if id == "" || len(id) > longest {
		return rand.Text()
	}
	return id
}

// Base returns the sandbox's address as seen by the client, without a trailing slash.
func (s *Stage) Base(r *http.Request) string {
	if s.PublicURL != "" {
		return s.PublicURL
	}
	return "http://" + r.Host
}

// Page returns the path of a post's page.
func Page(post ledger.Post) string { return "/p/" + post.Platform + "/" + post.ID }

// Network declares one simulated network. Its package exports a function Network, by which the sandbox finds it.
type Network struct {
	ID  channel.Network
	IDs ledger.IDs // the format of its posts' ids
	// Tokens are the rules for its tokens, one for each role of an account. A network without them has other tokens.
	Tokens []token.Policy
	// Limits are its own rate limits, which apply only while the sandbox is strict.
	Limits []Limit
	// Reviews are the ends that its reviews of accepted posts can have. A network without them shows each post at once.
	Reviews []ReviewEnd
	// Mount registers the network's calls, and opens its files in the folder. The state is nil if it has none.
	Mount func(mux *http.ServeMux, s *Stage, folder string) (State, error)
}

// State holds the data of a network beside the ledger.
type State interface {
	Clear() error // deletes all of it, on disk too
	Close() error
}

// Stateless returns Mount of a network that stores nothing beside the ledger.
func Stateless(register func(*http.ServeMux, *Stage)) func(*http.ServeMux, *Stage, string) (State, error) {
	return func(mux *http.ServeMux, s *Stage, _ string) (State, error) {
		register(mux, s)
		return nil, nil //nolint:nilnil // State documents nil
	}
}

// Stored returns Mount of a network that keeps records in the folder of that name.
func Stored[R mediastore.Record](
	name string, register func(*http.ServeMux, *Stage, *mediastore.Uploads[R]),
) func(*http.ServeMux, *Stage, string) (State, error) {
	return func(mux *http.ServeMux, s *Stage, folder string) (State, error) {
		records, err := mediastore.OpenUploads[R](filepath.Join(folder, name), s.Logger)
		if err != nil {
			return nil, err
		}
		register(mux, s, records)
		return records, nil
	}
}

// callsKept limits the number of calls in the log.
const callsKept = 100_000

// ReceivedCall is a call to a network, with the fault applied to it.
type ReceivedCall struct {
	At      time.Time `json:"at"`
	Network string    `json:"platform"`
	Account string    `json:"account"`
	Step    Step      `json:"step"`
	Fault   FaultKind `json:"fault"` // empty: none
}

// receive adds a call to the log, which holds the most recent ones.
func (s *Stage) receive(call ReceivedCall) {
	s.received.change(func(calls []ReceivedCall) []ReceivedCall {
		if len(calls) == callsKept {
			calls = append([]ReceivedCall(nil), calls[callsKept/2:]...)
		}
		return append(calls, call)
	})
}

// Calls returns the most recent calls to the networks, oldest first.
func (s *Stage) Calls() []ReceivedCall { return s.received.List() }

// DeleteCalls deletes the log of calls.
func (s *Stage) DeleteCalls() { s.received.Clear() }

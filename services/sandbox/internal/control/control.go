// Package control serves the sandbox's control API: it lists published posts, configures faults, issues tokens, moves
// the networks' time, and switches their rate limits on (docs/contract.md, Sandbox control; README.md of the service).
package control

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"fencepost.internal/services/sandbox/internal/fault"
	"fencepost.internal/services/sandbox/internal/ledger"
	"fencepost.internal/services/sandbox/internal/stage"
	"fencepost.internal/shared/domain/channel"
)

// longestDelay limits how long a fault may delay a call.
const longestDelay = time.Hour

// API is the control API.
type API struct {
	stage      *stage.Stage
	clearState []func() error // clear the state that networks keep besides posts
}

// Register adds the calls under /_sandbox. The functions run after all posts are deleted.
func Register(mux *http.ServeMux, s *stage.Stage, clearState ...func() error) {
	a := &API{stage: s, clearState: clearState}
	mux.HandleFunc("GET /_sandbox/posts", a.posts)
	mux.HandleFunc("DELETE /_sandbox/posts", a.deletePosts)
	mux.HandleFunc("GET /_sandbox/fetches", a.fetches)
	mux.HandleFunc("GET /_sandbox/calls", a.calls)
	mux.HandleFunc("GET /_sandbox/faults", a.faults)
	mux.HandleFunc("POST /_sandbox/faults", a.addFault)
	mux.HandleFunc("DELETE /_sandbox/faults", a.deleteFaults)
	mux.HandleFunc("GET /_sandbox/clock", a.clock)
	mux.HandleFunc("POST /_sandbox/clock", a.moveClock)
	mux.HandleFunc("POST /_sandbox/tokens", a.issueTokens)
	mux.HandleFunc("GET /_sandbox/limits", a.limits)
	mux.HandleFunc("POST /_sandbox/limits", a.setLimits)
	mux.HandleFunc("GET /_sandbox/reviews", a.reviews)
	mux.HandleFunc("POST /_sandbox/reviews", a.setReview)
	mux.HandleFunc("DELETE /_sandbox/reviews", a.deleteReviews)
	mux.HandleFunc("/_sandbox/", func(w http.ResponseWriter, r *http.Request) {
		problem(w, r, http.StatusNotFound, "The sandbox does not have this call.", nil)
	})
}

// post is a published post in the control API's JSON.
type post struct {
	ID         string  `json:"id"`
	Platform   string  `json:"platform"`
	Account    string  `json:"account"`
	Text       string  `json:"text"`
	Visibility string  `json:"visibility,omitempty"` // the network's own value, if it has visibilities
	Title      *string `json:"title"`                // null if it has none
	Link       string  `json:"link,omitempty"`
	Media      []file  `json:"media"` // in post order
	CreatedAt  string  `json:"createdAt"`
	URL        string  `json:"url"`
	// Details are further properties in the network's words.
	Details map[string]string `json:"details,omitempty"`
}

// file is one media file of a post.
type file struct {
	ledger.Media

	URL string `json:"url"` // address of the bytes
}

// posts lists published posts, newest first.
func (a *API) posts(w http.ResponseWriter, r *http.Request) {
	query := r.URL.Query()
	var faults []field
	platform, ok := a.networkOf(query.Get("platform"))
	if !ok {
		faults = append(faults, field{"platform", "must be " + oneOf(a.stage.Networks)})
	}
	limit := 0
	if text := query.Get("limit"); text != "" {
		number, err := strconv.Atoi(text)
		if limit = number; err != nil || number < 1 {
			faults = append(faults, field{"limit", "must be a number from 1"})
		}
	}
	if faults != nil {
		problem(w, r, http.StatusUnprocessableEntity, "The query is invalid.", faults)
		return
	}
	shown := []post{}
	for _, p := range a.stage.Ledger.List(ledger.Filter{Platform: platform, Account: query.Get("account"), Limit: limit}) {
		var title *string
		if p.Title != "" {
			title = &p.Title
		}
		shown = append(shown, post{
			ID: p.ID, Platform: p.Platform, Account: p.Account, Text: p.Text, Visibility: p.Visibility, Media: a.files(r, p),
			CreatedAt: p.CreatedAt.UTC().Format("2006-01-02T15:04:05.000Z"), URL: a.stage.Base(r) + stage.Page(p),
			Title: title, Link: p.Link, Details: p.Details,
		})
	}
	stage.JSON(w, http.StatusOK, shown)
}

func (a *API) files(r *http.Request, p ledger.Post) []file {
	files := make([]file, len(p.Media))
	for i, m := range p.Media {
		files[i] = file{Media: m, URL: a.stage.Base(r) + stage.MediaPath(m.SHA256)}
	}
	return files
}

func (a *API) deletePosts(w http.ResponseWriter, r *http.Request) {
	err := a.stage.Ledger.Clear()
	a.stage.DeleteCalls()
	for _, clearNetwork := range a.clearState {
		err = errors.Join(err, clearNetwork())
	}
	if err != nil {
		problem(w, r, http.StatusInternalServerError, "The ledger cannot be written.", nil)
		return
	}
	w.WriteHeader(http.StatusNoContent)
}

// fetches lists the files that networks fetched, and the result of each fetch.
func (a *API) fetches(w http.ResponseWriter, _ *http.Request) {
	stage.JSON(w, http.StatusOK, a.stage.Media.Fetches())
}

// calls lists the most recent calls to the networks, oldest first.
func (a *API) calls(w http.ResponseWriter, _ *http.Request) {
	stage.JSON(w, http.StatusOK, a.stage.Heard())
}

func (a *API) faults(w http.ResponseWriter, _ *http.Request) {
	stage.JSON(w, http.StatusOK, a.stage.Faults.List())
}

// deleteFaults deletes all faults and revives the tokens that faults expired.
func (a *API) deleteFaults(w http.ResponseWriter, _ *http.Request) {
	a.stage.Faults.Clear()
	a.stage.Tokens.Revive()
	w.WriteHeader(http.StatusNoContent)
}

// wanted is the request body of addFault.
type wanted struct {
	Platform string     `json:"platform"`
	Account  string     `json:"account"`
	Step     fault.Step `json:"step"`
	Kind     fault.Kind `json:"kind"`
	Times    int        `json:"times"`
	DelayMs  int64      `json:"delayMs"`
}

func (a *API) addFault(w http.ResponseWriter, r *http.Request) {
	var want wanted
	if !decode(w, r, &want, "a fault") {
		return
	}
	platform, faults := a.check(want)
	if faults != nil {
		problem(w, r, http.StatusUnprocessableEntity, "The fault is invalid.", faults)
		return
	}
	stage.JSON(w, http.StatusCreated, a.stage.Faults.Add(fault.Fault{
		Platform: platform, Account: want.Account, Step: want.Step, Kind: want.Kind, Times: want.Times, DelayMs: want.DelayMs,
	}))
}

// decode reads the JSON body. If it is not of the kind, decode writes an error response and returns false.
func decode(w http.ResponseWriter, r *http.Request, into any, kind string) bool {
	body, ok := stage.ReadBody(w, r)
	if !ok {
		return false
	}
	decoder := json.NewDecoder(bytes.NewReader(body))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(into); err != nil {
		problem(w, r, http.StatusBadRequest, "The body is not "+kind+": "+err.Error(), nil)
		return false
	}
	return true
}

// check validates the body. It returns the network it names and every invalid field.
func (a *API) check(f wanted) (string, []field) {
	var faults []field
	platform, ok := a.networkOf(f.Platform)
	if !ok {
		faults = append(faults, field{"/platform", "must be " + oneOf(a.stage.Networks) + ", or empty for any"})
	}
	if f.Step != "" && !slices.Contains(fault.Steps(), f.Step) {
		faults = append(faults, field{"/step", "must be " + oneOf(fault.Steps()) + ", or absent for any"})
	}
	if !slices.Contains(fault.Kinds(), f.Kind) {
		faults = append(faults, field{"/kind", "must be " + oneOf(fault.Kinds())})
	}
	if f.Times < fault.Forever {
		faults = append(faults, field{"/times", "must be a count, absent for one, or -1 for unlimited"})
	}
	if f.DelayMs < 0 || f.DelayMs > longestDelay.Milliseconds() {
		faults = append(faults, field{"/delayMs", fmt.Sprintf("must be from 0 to %d", longestDelay.Milliseconds())})
	}
	return platform, faults
}

// networkOf parses a network's name or a channel type. An empty text means any network.
func (a *API) networkOf(text string) (string, bool) {
	name := channel.Network(strings.ToLower(text))
	if kind := channel.Type(strings.ToUpper(text)); kind.Known() {
		name = kind.Network()
	}
	return string(name), name == "" || slices.Contains(a.stage.Networks, name)
}

func oneOf[T ~string](values []T) string {
	words := make([]string, len(values))
	for i, value := range values {
		words[i] = string(value)
	}
	return strings.Join(words[:len(words)-1], ", ") + " or " + words[len(words)-1]
}

// field is one invalid field of a request.
type field struct {
	Pointer string `json:"pointer"`
	Message string `json:"message"`
}

// problem writes an RFC 9457 problem response.
func problem(w http.ResponseWriter, r *http.Request, status int, detail string, faults []field) {
	body := map[string]any{
		"type": "about:blank", "title": http.StatusText(status), "status": status, "detail": detail, "instance": r.URL.Path,
	}
	if faults != nil {
		body["errors"] = faults
	}
	w.Header().Set("Content-Type", "application/problem+json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(body)
}

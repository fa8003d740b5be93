package main

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"net/http"
	"slices"
	"strings"
	"time"

	"fencepost.internal/services/sandbox/internal/ledger"
	"fencepost.internal/services/sandbox/internal/stage"
	"fencepost.internal/services/sandbox/internal/token"
	"fencepost.internal/shared/domain/channel"
)

const (
	// longestDelay limits how long a fault may delay a call, and longestReview the duration of a review.
	longestDelay, longestReview = time.Hour, 30 * 24 * time.Hour
	// farthest limits how far the networks' time can be moved, in seconds.
	farthest = int64(20 * 365 * 24 * time.Hour / time.Second)
)

// controlAPI is the control API.
type controlAPI struct {
	stage      *stage.Stage
	clearState []func() error // clear the state that networks keep besides posts
}

// registerControl adds the calls under /_sandbox. The functions run after all posts are deleted.
func registerControl(mux *http.ServeMux, s *stage.Stage, clearState ...func() error) {
	a := &controlAPI{stage: s, clearState: clearState}
	value := func(of func() any) func(stage.Request) stage.Response {
		return func(stage.Request) stage.Response { return stage.OK(of()) }
	}
	for pattern, serve := range map[string]func(stage.Request) stage.Response{
		"GET /_sandbox/posts":        a.posts,
		"DELETE /_sandbox/posts":     a.deletePosts,
		"GET /_sandbox/fetches":      value(func() any { return s.Media.Fetches() }),
		"GET /_sandbox/calls":        value(func() any { return s.Calls() }),
		"GET /_sandbox/faults":       value(func() any { return s.Faults.List() }),
		"POST /_sandbox/faults":      with("a fault", a.addFault),
		"DELETE /_sandbox/faults":    a.deleteFaults,
		"GET /_sandbox/clock":        value(a.clock),
		"POST /_sandbox/clock":       with("a clock", a.moveClock),
		"POST /_sandbox/tokens":      with("a consent", a.issueTokens),
		"GET /_sandbox/limits":       value(a.limits),
		"POST /_sandbox/limits":      with("a setting of limits", a.setLimits),
		"GET /_sandbox/reviews":      value(func() any { return s.Reviews() }),
		"POST /_sandbox/reviews":     with("a review", a.setReview),
		"DELETE /_sandbox/reviews":   a.deleteReviews,
		"POST /_sandbox/statuses":    with("a status", a.addStatus),
		"POST /_sandbox/people":      with("a person", a.addPerson),
		"GET /_sandbox/messages":     a.messages,
		"POST /_sandbox/messages":    with("a message", a.write),
		"POST /_sandbox/comments":    with("a comment", a.comment),
		"POST /_sandbox/connections": with("a connection", a.connect),
		"GET /_sandbox/deliveries":   value(func() any { return s.Deliveries() }),
		"/_sandbox/": func(r stage.Request) stage.Response {
			return problem(r, http.StatusNotFound, "The sandbox does not have this call.")
		},
	} {
		mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) {
			if body, ok := stage.ReadBody(w, r); ok {
				serve(stage.Request{Request: r, Values: r.URL.Query(), Body: body}).Write(w)
			}
		})
	}
}

// publishedPost is a published post in the control API's JSON.
type publishedPost struct {
	ID         string  `json:"id"`
	Platform   string  `json:"platform"`
	Account    string  `json:"account"`
	Text       string  `json:"text"`
	Visibility string  `json:"visibility,omitempty"` // the network's own value, if it has visibilities
	Title      *string `json:"title"`                // null if it has none
	Link       string  `json:"link,omitempty"`
	Media      []file  `json:"media"` // in post order
	CreatedAt  any     `json:"createdAt"`
	URL        string  `json:"url"`
	Parent     string  `json:"parent,omitempty"` // id of the post that it replies to
	// Details are further properties in the network's words.
	Details map[string]string `json:"details,omitempty"`
}

// file is one media file of a post.
type file struct {
	ledger.Media

	URL string `json:"url"` // address of the bytes
}

// posts lists published posts, newest first.
func (a *controlAPI) posts(r stage.Request) stage.Response {
	platform, known := a.networkOf(r.Values.Get("platform"))
	limit, ok := r.Int("limit", 0, 1, math.MaxInt)
	if faults := faultsOf(
		stage.If(!known, field{"platform", "must be " + oneOf(a.stage.Networks)}),
		stage.If(!ok, field{"limit", "must be a number from 1"}),
	); faults != nil {
		return invalid(r, "The query is invalid.", faults)
	}
	filter := ledger.Filter{Platform: platform, Account: r.Values.Get("account"), Limit: limit}
	return stage.OK(stage.Each(a.stage.Ledger.List(filter), func(p ledger.Post) publishedPost {
		var title *string
		if p.Title != "" {
			title = &p.Title
		}
		return publishedPost{
			ID: p.ID, Platform: p.Platform, Account: p.Account, Text: p.Text, Visibility: p.Visibility,
			CreatedAt: stamp(p.CreatedAt), URL: a.stage.Base(r.Request) + stage.Page(p),
			Title: title, Link: p.Link, Parent: p.Parent, Details: p.Details,
			Media: stage.Each(p.Media, func(m ledger.Media) file {
				return file{Media: m, URL: a.stage.Base(r.Request) + stage.MediaPath(m.SHA256)}
			}),
		}
	}))
}

// deletePosts deletes the post with the id, as its account does on the network, or all posts and calls.
func (a *controlAPI) deletePosts(r stage.Request) stage.Response {
	if id := r.Values.Get("id"); id != "" {
		found, err := a.stage.Ledger.Delete(r.Values.Get("platform"), id)
		switch {
		case err != nil:
			return problem(r, http.StatusInternalServerError, "The ledger cannot be written.")
		case !found:
			return invalid(r, "The query is invalid.", []field{{"id", "must be that of a post of the platform"}})
		}
		return stage.Empty(http.StatusNoContent)
	}
	err := a.stage.Ledger.Clear()
	a.stage.DeleteCalls()
	a.stage.DeleteDeliveries()
	for _, clearNetwork := range a.clearState {
		err = errors.Join(err, clearNetwork())
	}
	if err != nil {
		return problem(r, http.StatusInternalServerError, "The ledger cannot be written.")
	}
	return stage.Empty(http.StatusNoContent)
}

// deleteFaults deletes all faults and revives the tokens that faults expired.
func (a *controlAPI) deleteFaults(stage.Request) stage.Response {
	a.stage.Faults.Clear()
	a.stage.Tokens.Revive()
	return stage.Empty(http.StatusNoContent)
}

type newFault struct {
	Platform string          `json:"platform"`
	Account  string          `json:"account"`
	Step     stage.Step      `json:"step"`
	Kind     stage.FaultKind `json:"kind"`
	Times    int             `json:"times"`
	DelayMs  int64           `json:"delayMs"`
}

func (a *controlAPI) addFault(r stage.Request, want newFault) stage.Response {
	platform, known := a.networkOf(want.Platform)
	if faults := faultsOf(
		stage.If(!known, field{"/platform", "must be " + oneOf(a.stage.Networks) + ", or empty for any"}),
		stage.If(want.Step != "" && !slices.Contains(stage.Steps(), want.Step),
			field{"/step", "must be " + oneOf(stage.Steps()) + ", or absent for any"}),
		stage.If(!slices.Contains(stage.FaultKinds(), want.Kind), field{"/kind", "must be " + oneOf(stage.FaultKinds())}).
			Or(!want.Kind.Fits(want.Step), field{"/kind", "does not occur in this step; step inbound has " +
				oneOf(stage.InboundKinds())}).
			Or(want.Kind == stage.FaultBatch && platform == string(channel.NetworkTelegram),
				field{"/kind", "must be another one: Telegram sends each update alone"}),
		stage.If(want.Times < stage.Forever, field{"/times", "must be a count, absent for one, or -1 for unlimited"}),
		stage.If(want.DelayMs < 0 || want.DelayMs > longestDelay.Milliseconds(),
			field{"/delayMs", fmt.Sprintf("must be from 0 to %d", longestDelay.Milliseconds())}),
	); faults != nil {
		return invalid(r, "The fault is invalid.", faults)
	}
	return stage.Created(a.stage.Faults.Add(stage.Fault{
		Platform: platform, Account: want.Account, Step: want.Step, Kind: want.Kind, Times: want.Times, DelayMs: want.DelayMs,
	}))
}

func (a *controlAPI) clock() any {
	return stage.Object{
		"now": stamp(a.stage.Clock.Now()), "offsetSeconds": int64(a.stage.Clock.Offset() / time.Second),
	}
}

type clockOffset struct {
	OffsetSeconds *int64 `json:"offsetSeconds"`
}

// moveClock sets the difference between the networks' time and the process's clock. A restart sets it to zero.
func (a *controlAPI) moveClock(r stage.Request, want clockOffset) stage.Response {
	if want.OffsetSeconds == nil || *want.OffsetSeconds < -farthest || *want.OffsetSeconds > farthest {
		return invalid(r, "The clock is invalid.", []field{
			{"/offsetSeconds", fmt.Sprintf("must be from %d to %d", -farthest, farthest)},
		})
	}
	a.stage.Clock.Move(time.Duration(*want.OffsetSeconds) * time.Second)
	return stage.OK(a.clock())
}

// stamp returns a time in the control API's format. It is nil for a zero time.
func stamp(at time.Time) any {
	if at.IsZero() {
		return nil
	}
	return at.UTC().Format("2006-01-02T15:04:05.000Z")
}

func (a *controlAPI) limits() any { return map[string]bool{"strict": a.stage.Strict()} }

type strictness struct {
	Strict *bool `json:"strict"`
}

// setLimits switches the networks' own rate limits on or off. They are off after a restart.
func (a *controlAPI) setLimits(r stage.Request, want strictness) stage.Response {
	if want.Strict == nil {
		return invalid(r, "The setting is invalid.", []field{{"/strict", "must be true or false"}})
	}
	a.stage.SetStrict(*want.Strict)
	return stage.OK(a.limits())
}

// setReview sets how a network reviews the posts of an account, including those that it shows already.
func (a *controlAPI) setReview(r stage.Request, want stage.Review) stage.Response {
	platform, _ := a.networkOf(string(want.Platform))
	want.Platform = channel.Network(platform)
	ends, reviews := a.stage.ReviewEnds[want.Platform]
	networks := slices.Sorted(maps.Keys(a.stage.ReviewEnds))
	if faults := faultsOf(
		stage.If(!reviews, field{"/platform", "must be " + oneOf(networks)}).
			Or(!slices.Contains(ends, want.End), field{"/end", "must be " + oneOf(ends)}),
		stage.If(want.AfterSeconds < 0 || want.AfterSeconds > int64(longestReview/time.Second),
			field{"/afterSeconds", "must be from 0 to 2592000"}),
	); faults != nil {
		return invalid(r, "The review is invalid.", faults)
	}
	a.stage.SetReview(want)
	return stage.Created(want)
}

func (a *controlAPI) deleteReviews(stage.Request) stage.Response {
	a.stage.ClearReviews()
	return stage.Empty(http.StatusNoContent)
}

type consent struct {
	Platform   string   `json:"platform"`
	Account    string   `json:"account"`
	Role       string   `json:"role"`
	App        string   `json:"app"`
	Scopes     []string `json:"scopes"`
	AgeSeconds int64    `json:"ageSeconds"`
}

// issueTokens issues tokens as a user's consent does: to an application, with scopes, and some time ago.
func (a *controlAPI) issueTokens(r stage.Request, want consent) stage.Response {
	platform, known := a.networkOf(want.Platform)
	faults := faultsOf(
		stage.If(!known || platform == "", field{"/platform", "must be " + oneOf(a.stage.Networks)}),
		stage.If(want.AgeSeconds < 0 || want.AgeSeconds > farthest,
			field{"/ageSeconds", "must not be negative or too long ago"}),
	)
	if faults != nil {
		return invalid(r, "The consent is invalid.", faults)
	}
	grant, err := a.stage.Tokens.Issue(platform, token.Consent{
		Account: want.Account, Role: want.Role, App: want.App, Scopes: want.Scopes,
		Age: time.Duration(want.AgeSeconds) * time.Second,
	})
	faults = faultsOf(
		stage.If(errors.Is(err, token.ErrScope), field{"/scopes", "must be scopes of the network"}).
			Or(errors.Is(err, token.ErrInvalid),
				field{"/account", "must be an account of the network, with one of its roles"}),
	)
	switch {
	case faults != nil:
		return invalid(r, "The consent is invalid.", faults)
	case err != nil:
		return problem(r, http.StatusInternalServerError, "The tokens cannot be written.")
	}
	issued := stage.Object{
		"accessToken": grant.Access(platform), "refreshToken": nil, "scopes": grant.Scopes, "app": grant.App,
		"role": grant.Role, "issuedAt": stamp(grant.IssuedAt), "expiresAt": stamp(grant.ExpiresAt),
		"refreshExpiresAt": stamp(grant.RefreshExpiresAt), "dataAccessExpiresAt": stamp(grant.DataExpiresAt),
	}
	if a.stage.Tokens.HasRefresh(platform, grant) {
		issued["refreshToken"] = grant.Refresh()
	}
	return stage.Created(issued)
}

// networkOf parses a network's name or a channel type. An empty text means any network.
func (a *controlAPI) networkOf(text string) (string, bool) {
	name := channel.Network(strings.ToLower(text))
	if kind := channel.Type(strings.ToUpper(text)); kind.Known() {
		name = kind.Network()
	}
	return string(name), name == "" || slices.Contains(a.stage.Networks, name)
}

func oneOf[T ~string](values []T) string {
	words := stage.Each(values, func(value T) string { return string(value) })
	if len(words) == 0 {
		return ""
	}
	return strings.Join(words[:len(words)-1], ", ") + " or " + words[len(words)-1]
}

// field is one invalid field of a request.
type field struct {
	Pointer string `json:"pointer"`
	Message string `json:"message"`
}

// faultsOf returns the faults of the broken rules.
func faultsOf(rules ...stage.Rule[field]) []field {
	var faults []field
	for _, rule := range rules {
		if rule.Broken {
			faults = append(faults, rule.Fault)
		}
	}
	return faults
}

// with returns the call whose body is a T, which the words name.
func with[T any](words string, serve func(r stage.Request, want T) stage.Response) func(stage.Request) stage.Response {
	return func(r stage.Request) stage.Response {
		var want T
		if err := stage.Strict(r.Body, &want); err != nil {
			return problem(r, http.StatusBadRequest, "The body is not "+words+": "+err.Error())
		}
		return serve(r, want)
	}
}

func invalid(r stage.Request, detail string, faults []field) stage.Response {
	return problem(r, http.StatusUnprocessableEntity, detail, faults...)
}

// problem is an RFC 9457 problem response.
func problem(r stage.Request, status int, detail string, faults ...field) stage.Response {
	body := stage.Object{
		"type": "about:blank", "title": http.StatusText(status), "status": status, "detail": detail, "instance": r.URL.Path,
	}
	if faults != nil {
		body["errors"] = faults
	}
	return stage.Refuse(status, body).With("Content-Type", "application/problem+json")
}

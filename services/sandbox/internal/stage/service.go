package stage

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"fencepost.internal/services/sandbox/internal/token"
	"fencepost.internal/shared/domain/analytics"
	"fencepost.internal/shared/domain/channel"
)

// Service declares one API of a network: how its calls are authenticated and what it responds to those it refuses.
type Service struct {
	Stage   *Stage
	Network channel.Network
	Prefix  string // of the paths of its calls
	Words   Words
	Missing Response // to calls that the sandbox does not have
	Header  map[string]string
	// Token returns the token of a call; nil: that in the header Authorization.
	Token func(Request) string
	// Account returns the name of the account in the ledger and in the control API; nil: that in its token.
	Account func(Request) string
	// Access returns the grant of a token that has all the scopes; nil: that of a token of the network's accounts.
	Access func(text string, scopes ...string) (token.Grant, error)
	// Roles are those of the accounts that have this API; nil: all.
	Roles []string
	// Forms means that the parameters of a call may also be in a form, which has precedence over the address.
	Forms bool
	// Refused returns the response to a token that is not accepted; nil: Words.Scope or Words.Unauthorized.
	Refused func(r Request, reason error) Response
	// Steps returns the steps of a call; nil: that of its route.
	Steps func(r Request, step Step) []Step
	// Check completes a call, or refuses it after its faults; nil: neither.
	Check func(Request) (Request, Rule[Response])
	// Broken is the response if the sandbox's own files cannot be written, Duplicate that to a repeated post.
	Broken, Duplicate Response
	// Window is that of the routes' own rate limits.
	Window time.Duration
	// Quota returns the headers with the remaining calls of the account, and when the number of calls is reset; nil:
	// none.
	Quota func(limit, remaining int, reset time.Time) map[string]string

	meter meter
}

// Route declares a call.
type Route struct {
	Pattern string // method, and path after the service's prefix
	Step    Step   // empty: no faults apply
	Scopes  string // that the token needs, separated by spaces
	Serve   func(Request) Response
	Body    int64 // largest body in bytes; zero: 1 MiB
	Files   int64 // largest file of a body that is a form, in bytes; zero: no files
	File    int64 // largest body that is a file, in bytes; zero: no file
	Calls   int   // in the service's window, by an account of a strict sandbox; zero: any number
}

// Request is an authenticated call.
type Request struct {
	*http.Request

	Account string
	Grant   token.Grant
	Values  url.Values // the parameters
	Body    []byte
	Form    Form // of a call with files
}

// Handle registers the calls, and the response to all other paths below the prefix.
func (s *Service) Handle(mux *http.ServeMux, routes []Route) {
	for _, route := range routes {
		method, path, _ := strings.Cut(route.Pattern, " ")
		route.Pattern = method + " " + s.Prefix + path
		s.HandleAt(mux, route)
	}
	mux.HandleFunc(s.Prefix+"/", func(w http.ResponseWriter, _ *http.Request) { s.Missing.Write(w) })
}

// HandleAt registers a call whose pattern has the whole path.
func (s *Service) HandleAt(mux *http.ServeMux, route Route) {
	mux.HandleFunc(route.Pattern, s.serve(route))
	if route.Calls > 0 {
		s.Stage.limit(s.Network, Limit{Pattern: route.Pattern, Calls: route.Calls, Window: s.Window})
	}
}

func (s *Service) serve(route Route) http.HandlerFunc {
	route.Body = cmp.Or(route.Body, maxBody)
	return func(w http.ResponseWriter, r *http.Request) {
		body, form, ok := s.read(w, r, route)
		if !ok {
			return
		}
		for name, value := range s.Header {
			w.Header().Set(name, value)
		}
		request, refusal := s.Admit(r, body, route.Scopes)
		if refusal != nil {
			refusal.Write(w)
			return
		}
		request.Form = form
		perform := func() Response {
			if s.Check != nil {
				var rule Rule[Response]
				if request, rule = s.Check(request); rule.Broken {
					return rule.Fault
				}
			}
			return route.Serve(request)
		}
		if route.Step == "" {
			perform().Write(w)
			return
		}
		s.Perform(w, request, route.Step, perform)
	}
}

// read reads the body of a call. The values of a form with files are like those of a plain form. A body that is a file is
// the only file of a form.
func (s *Service) read(w http.ResponseWriter, r *http.Request, route Route) (body []byte, form Form, ok bool) {
	if route.File > 0 {
		file := FormFile{ContentType: r.Header.Get("Content-Type")}
		file.Item, file.Err = s.Stage.Media.Put(r.Context(), r.Body, route.File)
		return nil, Form{Files: []FormFile{file}}, true
	}
	if route.Files == 0 || !IsMultipart(r) {
		body, ok = ReadLargeBody(w, r, route.Body)
		return body, Form{}, ok
	}
	form, form.Err = s.Stage.ReadForm(r, route.Files)
	return []byte(form.Values.Encode()), form, true
}

// Admit authenticates a call and checks its scopes. It returns the response to a token that is not accepted.
func (s *Service) Admit(r *http.Request, body []byte, scopes string) (Request, *Response) {
	request := Request{Request: r, Values: r.URL.Query(), Body: body}
	if s.Forms {
		request.Values = Parameters(r, body)
	}
	text := Bearer(r)
	if s.Token != nil {
		text = s.Token(request)
	}
	access := s.Access
	if access == nil {
		access = func(text string, scopes ...string) (token.Grant, error) {
			return s.Stage.Tokens.Access(string(s.Network), text, scopes...)
		}
	}
	grant, err := access(text, strings.Fields(scopes)...)
	if s.Roles != nil && !slices.Contains(s.Roles, grant.Role) {
		err = token.ErrInvalid
	}
	request.Grant, request.Account = grant, grant.Account
	if s.Account != nil {
		request.Account = s.Account(request)
	}
	if err == nil {
		return request, nil
	}
	refusal := s.Words.Unauthorized
	switch {
	case s.Refused != nil:
		refusal = s.Refused(request, err)
	case errors.Is(err, token.ErrScope) && s.Words.Scope.Status != 0:
		refusal = s.Words.Scope
	}
	return request, &refusal
}

// Perform applies the faults of an authenticated call, performs it, and writes the response.
func (s *Service) Perform(w http.ResponseWriter, r Request, step Step, perform func() Response) {
	steps := []Step{step}
	if s.Steps != nil {
		steps = s.Steps(r, step)
	}
	calls := make([]Call, len(steps))
	for i, step := range steps {
		calls[i] = Call{Network: s.Network, Account: r.Account, Step: step, Grant: r.Grant}
	}
	words := s.Words
	if s.Quota != nil {
		words = s.metered(w, r, calls[0])
	}
	s.Stage.Perform(w, r.Request, words, perform, calls...)
}

// Perform applies the faults of the calls, performs them, and writes the response unless a fault withholds it. The body of
// the request must have been read.
func (s *Stage) Perform(w http.ResponseWriter, r *http.Request, words Words, perform func() Response, calls ...Call) {
	var pending Fault // what the faults leave to do with the response
	for _, call := range calls {
		f, ok := s.enter(w, r, call, words)
		if !ok {
			return
		}
		if f.Kind != "" {
			pending = f
		}
	}
	response := perform()
	if pending.Kind == FaultTimeoutAfterAccept && !response.Refused {
		s.Wait(r.Context(), pending.Delay())
		s.Cut(w)
		return
	}
	response.write(w, pending.Kind, words)
}

// ErrJSON reports a body that is not JSON by its type.
var ErrJSON = errors.New("the content type must be application/json")

// JSON decodes the body. It refuses another content type and unknown members.
func (r Request) JSON(into any) error {
	if !r.IsJSON() {
		return ErrJSON
	}
	return Strict(r.Body, into)
}

// Strict decodes JSON. It refuses unknown members.
func Strict(body []byte, into any) error {
	decoder := json.NewDecoder(bytes.NewReader(body))
	decoder.DisallowUnknownFields()
	return decoder.Decode(into)
}

// IsJSON reports whether the content type is JSON.
func (r Request) IsJSON() bool {
	kind, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type"))
	return kind == "application/json"
}

// Parts returns the parts of a multipart body by name, up to the part of the last name; empty: all.
func (r Request) Parts(last string) (map[string]string, error) {
	_, parameters, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil {
		return nil, errForm
	}
	form, parts := multipart.NewReader(bytes.NewReader(r.Body), parameters["boundary"]), make(map[string]string)
	for {
		part, err := form.NextRawPart()
		if errors.Is(err, io.EOF) && last == "" {
			return parts, nil
		}
		if err != nil {
			return nil, errForm
		}
		content, err := io.ReadAll(part)
		if err != nil {
			return nil, errForm
		}
		if parts[part.FormName()] = string(content); part.FormName() == last {
			return parts, nil
		}
	}
}

// List returns the parts of a parameter that commas separate.
func (r Request) List(name string) []string { return strings.Split(r.Values.Get(name), ",") }

// Int returns a number from least to most in a parameter. It returns false if there is another value.
func (r Request) Int(name string, preset, least, most int) (int, bool) {
	text := r.Values.Get(name)
	if text == "" {
		return preset, true
	}
	number, err := strconv.Atoi(text)
	return number, err == nil && number >= least && number <= most
}

// Days returns the dates in two parameters, the second at most newest. It returns false if they are no dates in order.
func (r Request) Days(from, to string, newest analytics.Date) (since, until analytics.Date, ok bool) {
	since, sinceErr := analytics.ParseDate(r.Values.Get(from))
	until, untilErr := analytics.ParseDate(r.Values.Get(to))
	ok = sinceErr == nil && untilErr == nil && !until.Before(since)
	if until.After(newest) {
		until = newest
	}
	return since, until, ok
}

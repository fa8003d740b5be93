package web

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"fencepost.internal/services/internal/apiforms/jsonbody"
	"fencepost.internal/services/internal/gate"
	"fencepost.internal/services/internal/hosts"
	"fencepost.internal/services/mcp/internal/tools"
	"fencepost.internal/shared/domain/credential"
	"fencepost.internal/shared/kernel/apperr"
)

// maxBody is the maximum size of a request in bytes: enough for a post of 100,000 characters, twice.
const maxBody = 1 << 20

// endpoint serves the requests of the protocol.
func (w *Web) endpoint(rw http.ResponseWriter, r *http.Request) {
	e := exchangeOf(r.Context())
	if !w.fromHere(rw, r) {
		w.open(refuseOrigin)(rw, r)
		return
	}
	if r.Method == http.MethodOptions {
		w.open(w.preflight)(rw, r)
		return
	}
	if err := w.admit(rw, r); err != nil {
		w.refuse(rw, r, err)
		return
	}
	if r.Method != http.MethodPost { // without sessions there are no streams to open and no sessions to end
		rw.Header().Set("Allow", "POST, OPTIONS")
		w.refuse(rw, r, apperr.New(apperr.MethodNotAllowed, "Send messages of the protocol by POST. The server has no "+
			"sessions and no event streams."))
		return
	}
	requested, err := w.read(rw, r)
	if err != nil {
		w.refuse(rw, r, err)
		return
	}
	e.method, e.tool = requested.method, requested.tool
	missing := w.tools.Missing(requested.tool, requested.arguments, e.principal.Allows)
	if len(missing) > 0 && e.principal.MayRequest(missing) { // otherwise the tool refuses: no client can do anything else
		w.stepUp(rw, r, missing)
		return
	}
	// ids from older servers, which clients may still send
	for _, session := range []string{"Mcp-Session-Id", "Last-Event-Id"} {
		r.Header.Del(session)
	}
	ctx := tools.WithCaller(r.Context(), tools.Caller{Principal: e.principal, RequestID: e.requestID})
	w.protocol.ServeHTTP(rw, r.WithContext(ctx))
}

// admit authenticates the client and charges the request to it.
func (w *Web) admit(rw http.ResponseWriter, r *http.Request) error {
	e := exchangeOf(r.Context())
	token, sent, err := gate.Bearer(r.Header.Values("Authorization"))
	e.credential = sent
	if err == nil {
		e.principal, err = w.cfg.App.Authenticate(r.Context(), token)
	}
	if apperr.CodeOf(err) == apperr.Unauthenticated {
		if limited := w.chargeAddress(rw, r, sent); limited != nil {
			return limited
		}
	}
	if err != nil {
		return err
	}
	budget, err := w.cfg.Gate.Client(r.Context(), e.principal)
	gate.SetBudget(rw.Header().Set, budget)
	return err
}

func (w *Web) chargeAddress(rw http.ResponseWriter, r *http.Request, guessed bool) error {
	budget, err := w.cfg.Gate.Address(r.Context(), hosts.ClientOf(r, w.cfg.TrustedProxies), guessed)
	gate.SetBudget(rw.Header().Set, budget)
	return err
}

// request holds the parts of a message that the transport needs.
type request struct {
	method    string
	tool      string // of tools/call
	arguments jsontext.Value
}

// read parses the message and restores the body for the protocol library, which responds to unknown messages.
func (*Web) read(rw http.ResponseWriter, r *http.Request) (request, error) {
	body, err := io.ReadAll(http.MaxBytesReader(rw, r.Body, maxBody))
	if large := new(http.MaxBytesError); errors.As(err, &large) {
		return request{}, apperr.New(apperr.PayloadTooLarge, "The body is larger than %d bytes.", large.Limit)
	}
	if err != nil {
		return request{}, apperr.Wrap(err, apperr.MalformedRequest, "The body is incomplete.")
	}
	if bytes.HasPrefix(bytes.TrimLeft(body, " \t\r\n"), []byte{'['}) { // a batch would be charged as one request
		return request{}, apperr.New(apperr.MalformedRequest, "Send the messages of a batch one by one; the supported "+
			"protocol versions have no batches.")
	}
	body = jsonbody.WithoutMark(body)
	// duplicate names are rejected where they matter
	if _, err := jsontext.AppendFormat(nil, body, jsontext.AllowDuplicateNames(true)); err != nil {
		cause := "is not one JSON value in UTF-8"
		if jsonbody.HalfSurrogate(body, err) {
			cause = "is rejected: " + jsonbody.HalfSurrogateFault
		}
		return request{}, apperr.New(apperr.MalformedRequest, "The body %s.", cause)
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	var message struct {
		Method string `json:"method"`
		Params struct {
			Name      string         `json:"name"`
			Arguments jsontext.Value `json:"arguments"`
		} `json:"params"`
	}
	if err := json.Unmarshal(body, &message); err != nil {
		return request{}, nil //nolint:nilerr // each tool checks its scopes again
	}
	requested := request{method: message.Method}
	if message.Method == "tools/call" {
		requested.tool, requested.arguments = message.Params.Name, message.Params.Arguments
	}
	return requested, nil
}

// stepUp responds with the missing scopes of a call (RFC 6750, section 3.1), so that the client can request them from
// the user and retry. Clients of protocol revisions up to 2025-11-25 request exactly the scopes in the response. For
// them it includes the scopes that the client has, which it would otherwise lose.
func (w *Web) stepUp(rw http.ResponseWriter, r *http.Request, missing []credential.Scope) {
	e := exchangeOf(r.Context())
	e.challenge = slices.Clone(missing)
	if version := r.Header.Get("Mcp-Protocol-Version"); version < versions()[0] {
		for _, scope := range w.tools.Scopes() {
			if e.principal.Allows(scope) && !slices.Contains(e.challenge, scope) {
				e.challenge = append(e.challenge, scope)
			}
		}
	}
	w.refuse(rw, r, apperr.New(apperr.InsufficientScope,
		"The tool needs the scopes %s, which the credential does not have.", joined(missing)))
}

func joined(scopes []credential.Scope) string {
	names := make([]string, len(scopes))
	for i, scope := range scopes {
		names[i] = string(scope)
	}
	return strings.Join(names, " ")
}

// cacheable sets how long clients may cache lists. The list of a program is the same for all programs until a new
// version is deployed. The list of an API key depends on its scopes.
func cacheable(milliseconds int) func(ctx context.Context, r mcp.Request, c *mcp.Cacheable) {
	return func(ctx context.Context, _ mcp.Request, c *mcp.Cacheable) {
		c.TTLMs, c.CacheScope = milliseconds, "private"
		if exchangeOf(ctx).principal.IsProgram() {
			c.CacheScope = "public"
		}
	}
}

// usableOnly leaves tools out of the list of an API key that its scopes cannot use (docs/contract.md, Tools). A program
// can request further scopes, so its list has every tool.
func (w *Web) usableOnly(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, r mcp.Request) (mcp.Result, error) {
		result, err := next(ctx, method, r)
		listed, ok := result.(*mcp.ListToolsResult)
		of := exchangeOf(ctx).principal
		if err != nil || !ok || of.IsProgram() {
			return result, err
		}
		listed.Tools = slices.DeleteFunc(listed.Tools, func(t *mcp.Tool) bool { return !w.tools.Usable(t.Name, of.Allows) })
		return listed, nil
	}
}

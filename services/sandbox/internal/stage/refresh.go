package stage

import (
	"mime"
	"net/http"
	"net/url"
	"slices"

	"fencepost.internal/services/sandbox/internal/fault"
	"fencepost.internal/services/sandbox/internal/token"
	"fencepost.internal/shared/domain/channel"
)

// Refresh is a request of an application for new tokens.
type Refresh struct {
	Network channel.Network
	Token   string // as sent
	App     string // the authenticated client id; empty if the network asks for none
	// LongLived is set if the token is an access token, because the network has no refresh tokens.
	LongLived bool
	// Roles are those of the accounts whose tokens the call renews; nil: all.
	Roles   []string
	Dialect Dialect
	// Refused writes the response to a token that is not accepted, for the reason in the error; nil:
	// Dialect.Unauthorized.
	Refused func(w http.ResponseWriter, grant token.Grant, reason error)
}

// Tokens are the new tokens of an account, and their remaining lifetimes in seconds.
type Tokens struct {
	token.Grant

	Access, Refresh      string
	ExpiresIn, RefreshIn int64
	// Sent is the token that was renewed; empty for the tokens of a code.
	Sent string
}

// Refresh issues new tokens and passes them to answer, which writes the network's response. It writes the response
// itself if the token is not accepted or a fault ends the call.
func (s *Stage) Refresh(w http.ResponseWriter, r *http.Request, asked Refresh, answer func(Tokens)) {
	if asked.Refused == nil {
		asked.Refused = func(w http.ResponseWriter, _ token.Grant, _ error) { asked.Dialect.Unauthorized(w) }
	}
	network := string(asked.Network)
	grant, ok := s.Tokens.OfRefreshToken(network, asked.Token)
	if asked.LongLived {
		grant, ok = s.Tokens.OfAccessToken(network, asked.Token)
	}
	if !ok || asked.Roles != nil && !slices.Contains(asked.Roles, grant.Role) {
		asked.Refused(w, grant, token.ErrInvalid)
		return
	}
	call := Call{Network: asked.Network, Account: grant.Account, Step: fault.StepToken, Grant: grant}
	held, ok := s.Enter(w, r, call, asked.Dialect)
	if !ok {
		return
	}
	next, err := s.Tokens.Renew(network, grant, asked.App)
	switch {
	case token.IsRefusal(err):
		asked.Refused(w, next, err)
	case err != nil: // the disk
		asked.Dialect.Unavailable(w)
	case !held.Lost(w, r):
		answer(Tokens{
			Grant: next, Access: next.Access(network), Refresh: next.Refresh(),
			ExpiresIn: token.Seconds(next.IssuedAt, next.ExpiresAt),
			RefreshIn: token.Seconds(next.IssuedAt, next.RefreshExpiresAt),
		})
	}
}

// ReadTokenForm reads the form of a token call. It returns an error if the body has another type or is too large.
func ReadTokenForm(w http.ResponseWriter, r *http.Request) (url.Values, error) {
	const limit = 1 << 16
	kind, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if kind != "application/x-www-form-urlencoded" {
		return nil, errForm
	}
	r.Body = http.MaxBytesReader(w, r.Body, limit)
	if err := r.ParseForm(); err != nil {
		return nil, err
	}
	return r.PostForm, nil
}

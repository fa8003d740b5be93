package stage

import (
	"errors"
	"mime"
	"net/http"
	"net/url"

	"socialpub.internal/services/sandbox/internal/fault"
	"socialpub.internal/services/sandbox/internal/token"
	"socialpub.internal/shared/domain/channel"
)

// Refresh is a request of a client for new tokens.
type Refresh struct {
	Network channel.Network
	Token   string // as sent
	// LongLived is set if the token is an access token, because the network has no refresh tokens.
	LongLived bool
	// Rotates is set if the new tokens replace the old ones. Otherwise the old ones stay valid.
	Rotates bool
	Dialect Dialect
	// Invalid writes the response to a token that is unknown or was replaced; nil: Dialect.Unauthorized.
	Invalid func(w http.ResponseWriter)
}

// Tokens are the new tokens of an account.
type Tokens struct {
	Account string
	Access  string
	Refresh string
}

// Refresh issues new tokens and passes them to answer, which writes the network's response. It writes the response
// itself if the token is not accepted or a fault ends the call.
func (s *Stage) Refresh(w http.ResponseWriter, r *http.Request, asked Refresh, answer func(Tokens)) {
	if asked.Invalid == nil {
		asked.Invalid = asked.Dialect.Unauthorized
	}
	network := string(asked.Network)
	grant, ok := token.RefreshToken(asked.Token)
	if asked.LongLived {
		grant, ok = token.AccessToken(network, asked.Token)
	}
	if !ok {
		asked.Invalid(w)
		return
	}
	call := Call{Network: asked.Network, Account: grant.Account, Step: fault.StepToken, Grant: grant}
	held, ok := s.Enter(w, r, call, asked.Dialect)
	if !ok {
		return
	}
	next, err := s.Tokens.Rotate(network, grant, asked.Rotates)
	switch {
	case errors.Is(err, token.ErrInvalid):
		asked.Invalid(w)
	case err != nil: // the disk
		asked.Dialect.Unavailable(w)
	case !held.Lost(w, r):
		answer(Tokens{
			Account: grant.Account, Access: token.Mint(network, grant.Account, next),
			Refresh: token.MintRefresh(grant.Account, next),
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

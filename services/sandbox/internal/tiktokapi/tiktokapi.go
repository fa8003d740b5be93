// Package tiktokapi is the sandbox's TikTok APIs: posting settings, posts and metrics. TikTok has two products: the Content
// Posting API for personal accounts, and the Accounts API for business accounts.
//
// The settings of an account depend only on its name, so that they are always the same: a name with "private" is a
// private account, one with "nocomment" has comments disabled, one with "banned" may not post, and that of one with
// "oldapp" is not updated. With "unaudited" in the name, the application is not audited, and with "unverified" its
// addresses of files are not verified.
package tiktokapi

import (
	"errors"
	"net/http"
	"strings"

	"fencepost.internal/services/sandbox/internal/fault"
	"fencepost.internal/services/sandbox/internal/partfile"
	"fencepost.internal/services/sandbox/internal/stage"
	"fencepost.internal/services/sandbox/internal/token"
	"fencepost.internal/shared/domain/channel"
)

const network = string(channel.NetworkTikTok)

// API serves TikTok's calls.
type API struct {
	stage *stage.Stage
	posts *partfile.Store[making]
}

// register adds the calls of the personal product under /tiktok, and those of the business product under
// /tiktok-business.
func register(mux *http.ServeMux, s *stage.Stage, posts *partfile.Store[making]) {
	a := &API{stage: s, posts: posts}
	a.registerPersonal(mux)
	a.registerPublishing(mux)
	a.registerBusiness(mux)
	a.registerBusinessPublishing(mux)
}

// request is an authenticated call.
type request struct {
	*http.Request

	account string
	body    []byte
	held    stage.Held
}

// as is asStep for a call that reads.
func (a *API) as(product product, scope string, next func(http.ResponseWriter, request)) http.HandlerFunc {
	return a.asStep(product, fault.StepStatus, scope, next)
}

// asStep authenticates the call with the product's token, checks its scope, and applies faults.
func (a *API) asStep(
	product product, step fault.Step, scope string, next func(http.ResponseWriter, request),
) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		body, ok := stage.ReadBody(w, r)
		if !ok {
			return
		}
		grant, err := a.stage.Tokens.Access(network, product.token(r), scope)
		switch {
		case grant.Role != product.role(): // a token of the other product
			product.Unauthorized(w)
			return
		case errors.Is(err, token.ErrScope):
			product.unauthorizedScope(w)
			return
		case err != nil:
			product.Unauthorized(w)
			return
		}
		call := stage.Call{Network: channel.NetworkTikTok, Account: grant.Account, Step: step, Grant: grant}
		if held, ok := a.stage.Enter(w, r, call, product); ok {
			next(w, request{Request: r, account: grant.Account, body: body, held: held})
		}
	}
}

// product is the difference between the two products: the location and the role of the token, and the error responses.
type product interface {
	stage.Dialect

	token(r *http.Request) string
	role() string
	unauthorizedScope(w http.ResponseWriter) // the account did not grant the call's scope
}

// allowed holds an account's posting settings, in the format of both products.
type allowed struct {
	Privacies       []string `json:"privacy_level_options"`
	CommentDisabled bool     `json:"comment_disabled"`
	DuetDisabled    bool     `json:"duet_disabled"`
	StitchDisabled  bool     `json:"stitch_disabled"`
	MaxDurationSec  int      `json:"max_video_post_duration_sec"`
}

func allowedTo(account string) allowed {
	const longest = 600
	a := allowed{
		Privacies:       []string{publicToEveryone, "MUTUAL_FOLLOW_FRIENDS", selfOnly},
		CommentDisabled: strings.Contains(account, "nocomment"), MaxDurationSec: longest,
	}
	if strings.Contains(account, "private") {
		// TikTok does not allow duets or stitches of videos that only followers see.
		a.Privacies = []string{"FOLLOWER_OF_CREATOR", "MUTUAL_FOLLOW_FRIENDS", selfOnly}
		a.DuetDisabled, a.StitchDisabled = true, true
	}
	return a
}

func banned(account string) bool { return strings.Contains(account, "banned") }

// username returns the account without a leading @.
func username(account string) string { return strings.TrimPrefix(account, "@") }

// avatar returns the address of an image that the sandbox serves.
func (a *API) avatar(r request) string { return a.stage.Base(r.Request) + "/assets/icon.svg" }

// Package tiktokapi is the sandbox's TikTok: its two products, the Content Posting API for personal accounts and the Accounts
// API for business accounts, as far as reading goes: what an account allows, and how it does.
//
// What an account allows follows from its name, so that it is always the same: "private" in it means a private account,
// "nocomment" one without comments, "banned" one that may not post.
package tiktokapi

import (
	"net/http"
	"strings"

	"socialpub.internal/services/sandbox/internal/fault"
	"socialpub.internal/services/sandbox/internal/stage"
	"socialpub.internal/shared/domain/channel"
)

const network = string(channel.NetworkTikTok)

// API answers as TikTok does.
type API struct {
	stage *stage.Stage
}

// Register adds the calls of the first product under /tiktok, of the second under /tiktok-business.
func Register(mux *http.ServeMux, s *stage.Stage) {
	a := &API{stage: s}
	a.registerPersonal(mux)
	a.registerBusiness(mux)
}

// request is an authenticated call.
type request struct {
	*http.Request

	account string
	body    []byte
	held    stage.Held
}

// as authenticates the call, whose token stands where the product wants it, and lets the faults at it.
func (a *API) as(product product, next func(http.ResponseWriter, request)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		body, ok := stage.ReadBody(w, r)
		if !ok {
			return
		}
		grant, ok := a.stage.Tokens.Access(network, product.token(r), false)
		if !ok {
			product.Unauthorized(w)
			return
		}
		call := stage.Call{Network: channel.NetworkTikTok, Account: grant.Account, Step: fault.StepStatus, Grant: grant}
		if held, ok := a.stage.Enter(w, r, call, product); ok {
			next(w, request{Request: r, account: grant.Account, body: body, held: held})
		}
	}
}

// product is what the two differ in: where the token stands, and how they say no.
type product interface {
	stage.Dialect

	token(r *http.Request) string
}

// allowed is what an account allows, in the words that both products use.
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
		Privacies:       []string{"PUBLIC_TO_EVERYONE", "MUTUAL_FOLLOW_FRIENDS", "SELF_ONLY"},
		CommentDisabled: strings.Contains(account, "nocomment"), MaxDurationSec: longest,
	}
	if strings.Contains(account, "private") {
		// TikTok lets nobody duet or stitch what only followers see.
		a.Privacies = []string{"FOLLOWER_OF_CREATOR", "MUTUAL_FOLLOW_FRIENDS", "SELF_ONLY"}
		a.DuetDisabled, a.StitchDisabled = true, true
	}
	return a
}

func banned(account string) bool { return strings.Contains(account, "banned") }

// username is the account's name without the sign that people put before it.
func username(account string) string { return strings.TrimPrefix(account, "@") }

// avatar is a picture that the sandbox has.
func (a *API) avatar(r request) string { return a.stage.Base(r.Request) + "/assets/icon.svg" }

// Package instagramapi is the sandbox's Instagram API: containers of images and videos, and the posts, reels and
// stories made from them.
package instagramapi

import (
	"net/http"
	"regexp"

	"fencepost.internal/services/sandbox/internal/fault"
	"fencepost.internal/services/sandbox/internal/metaapi"
	"fencepost.internal/services/sandbox/internal/stage"
	"fencepost.internal/shared/domain/channel"
)

const network = string(channel.NetworkInstagram)

// Prefix is the prefix of container ids.
const Prefix = "178"

// API serves Instagram's calls.
type API struct {
	metaapi.Door

	containers *metaapi.Containers
}

// rolePage is the role of the tokens of Facebook Login, which belong to a Page.
const rolePage = "page"

// register adds the calls under /instagram, for accounts with Instagram Login, and under /instagram-facebook, for those
// with Facebook Login. Only the tokens differ.
func register(mux *http.ServeMux, s *stage.Stage, containers *metaapi.Containers) {
	const limited = 80002
	door := metaapi.Door{
		Stage: s, Network: channel.NetworkInstagram, ErrorType: "OAuthException", LimitCode: limited,
		Grant: "ig_refresh_token", Denied: 10, Posts: quotaTotal,
	}
	login := &API{Door: door, containers: containers}
	login.mount(mux, "/instagram")
	mux.HandleFunc("GET /instagram/refresh_access_token", login.Refresh)
	login.Consents(mux, "/instagram", "ig_exchange_token", scopeBasic, scopePublish, scopeInsights)
	door.Role = rolePage
	page := &API{Door: door, containers: containers}
	page.mount(mux, "/instagram-facebook")
	mux.HandleFunc("GET /instagram-facebook/{version}/debug_token", metaapi.DebugToken(s, network, page.Unknown))
	metaapi.Login{
		Stage: s, Network: channel.NetworkInstagram, Prefix: "/instagram-facebook", Scopes: loginScopes(), PageRole: rolePage,
		PageScope: pageScope, Instagram: true, Error: page.Error, Dialect: page,
	}.Mount(mux)
}

func (a *API) mount(mux *http.ServeMux, host string) {
	handle := func(method, path string, step fault.Step, scopes []string, next func(http.ResponseWriter, metaapi.Request)) {
		mux.HandleFunc(method+" "+host+"/{version}"+path, a.versioned(a.As(step, scopes, next)))
	}
	handle(http.MethodPost, "/{user}/media", fault.StepCreate, publishing(), a.create)
	handle(http.MethodPost, "/{user}/media_publish", fault.StepCommit, publishing(), a.publish)
	handle(http.MethodGet, "/{user}/media", fault.StepStatus, reading(), a.feed)
	handle(http.MethodGet, "/{user}/stories", fault.StepStatus, reading(), a.stories)
	handle(http.MethodGet, "/{user}/content_publishing_limit", fault.StepStatus, publishing(),
		a.Fields(metaapi.LimitNode("ContentPublishingLimit"), a.Quota))
	handle(http.MethodGet, "/{id}/insights", fault.StepStatus, measuring(), a.Fields(metaapi.InsightsNode(), a.insights))
	read := a.versioned(a.As(fault.StepStatus, reading(), a.read))
	if a.Role == rolePage {
		read = a.byPerson(read)
	}
	mux.HandleFunc("GET "+host+"/{version}/{id}", read)
	mux.HandleFunc(host+"/", a.Unknown)
}

// hiding begins the names of accounts whose containers Meta does not show to the token of the Page, but to that of the
// person, as it did in 2026.
const hiding = "hiding"

// byPerson shows a container to the token of a person of Facebook Login. Other calls go to next.
func (a *API) byPerson(next http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		grant, err := a.Stage.Tokens.Access(network, stage.AccessToken(r, r.URL.Query()), "instagram_basic")
		if err != nil || grant.Role != metaapi.RoleUser {
			next(w, r)
			return
		}
		for _, page := range []string{"", "-shop", "-archive", "-group"} {
			if made, ok := a.containers.Of(grant.Account+page, r.PathValue("id")); ok {
				if !containerNode().Refuses(w, r.URL.Query(), a.Error) {
					stage.JSON(w, http.StatusOK, a.status(made))
				}
				return
			}
		}
		a.Missing(w)
	}
}

var versionPattern = regexp.MustCompile(`^v[1-9][0-9]{0,2}\.[0-9]$`)

// versioned rejects calls whose path does not contain a version.
func (a *API) versioned(next http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if !versionPattern.MatchString(r.PathValue("version")) {
			a.Unknown(w, r)
			return
		}
		next(w, r)
	}
}

// refusal is one of Instagram's error codes with its message.
type refusal struct {
	code, subcode int
	message       string
}

// The refusals.
var (
	refusedType     = refusal{100, 2207023, "The media type is unknown"}
	refusedCount    = refusal{100, 2207028, "Invalid number of items in the carousel: it must have 2 to 10"}
	refusedCaption  = refusal{100, 2207010, "The caption was too long"}
	refusedMentions = refusal{100, 2207040, "Cannot use more than 20 @ tags"}
	refusedUnready  = refusal{
		9007, 2207027, "Media ID is not available: the media is not ready for publishing, please wait for a moment",
	}
	refusedUnknown = refusal{24, 2207006, "The requested resource does not exist: the media could not be found"}
	refusedFailed  = refusal{24, 2207008, "The media builder does not exist or failed"}
	refusedExpired = refusal{-2, 2207020, "The media you are trying to access has expired"}
	refusedFetch   = refusal{
		9004, 2207052, "Only photo or video can be accepted as media type: the media could not be fetched from this URI",
	}
	refusedTooLarge = refusal{36000, 2207004, "The image is too large to download. It should be less than 8 MiB"}
	refusedFormat   = refusal{36001, 2207005, "The image format is not supported: it must be JPEG"}
	refusedShape    = refusal{
		36003, 2207009, "The submitted image has an aspect ratio that is not supported: it must be from 3:4 to 1.91:1",
	}
	refusedVideo      = refusal{352, 2207026, "The video format is not supported"}
	refusedVideoFetch = refusal{9004, 2207077, "The video could not be fetched"}
)

func (a *API) refuse(w http.ResponseWriter, why refusal) {
	a.Error(w, http.StatusBadRequest, why.code, why.subcode, why.message)
}

// wrong rejects a parameter for which Instagram has no subcode.
func (a *API) wrong(w http.ResponseWriter, message string) {
	a.refuse(w, refusal{code: 100, message: message})
}

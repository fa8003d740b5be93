package mastodonapi

import (
	"context"
	"net/http"
	"strings"

	"fencepost.internal/services/sandbox/internal/ledger"
)

// usual is the server under /mastodon.
const usual = "mastodon.sandbox.test"

type (
	// hostKey marks a call to another server than the usual one.
	hostKey struct{}
	// oldKey marks a call to a server before 4.3, which is the usual one without the scope profile and without the
	// description of its authorization.
	oldKey struct{}
)

func old(r *http.Request) bool { return r.Context().Value(oldKey{}) != nil }

// hostOf returns the server that is called.
func hostOf(r *http.Request) string {
	if host, ok := r.Context().Value(hostKey{}).(string); ok {
		return host
	}
	return usual
}

// elsewhere adds the other servers.
func (a *API) elsewhere(mux *http.ServeMux) {
	as := func(r *http.Request, key, value any, path string) *http.Request {
		played := r.Clone(context.WithValue(r.Context(), key, value))
		played.URL.Path = "/mastodon/" + path
		return played
	}
	mux.HandleFunc("/mastodon-4.2/{path...}", func(w http.ResponseWriter, r *http.Request) {
		mux.ServeHTTP(w, as(r, oldKey{}, true, r.PathValue("path")))
	})
	mux.HandleFunc("/mastodon-at/{host}/{path...}", func(w http.ResponseWriter, r *http.Request) {
		switch host := r.PathValue("host"); {
		case strings.HasPrefix(host, "down."):
			a.stage.Cut(w)
		case strings.HasPrefix(host, "www."), host == usual, !strings.Contains(host, "."):
			http.NotFound(w, r) // a site that is not Mastodon
		default:
			mux.ServeHTTP(w, as(r, hostKey{}, host, r.PathValue("path")))
		}
	})
}

// base returns the address of the server that is called.
func (a *API) base(r *http.Request) string {
	if host := hostOf(r); host != usual {
		return a.stage.Base(r) + "/mastodon-at/" + host
	}
	return a.stage.Base(r) + "/mastodon"
}

// holder returns the name of an account in its tokens.
func holder(host, name string) string {
	if host == usual {
		return name
	}
	return name + "@" + host
}

// hostOfHolder returns the server of the account with this name in its tokens.
func hostOfHolder(name string) string {
	if _, host, elsewhere := strings.Cut(name, "@"); elsewhere {
		return host
	}
	return usual
}

// nameOf returns the name of the account on its server.
func nameOf(holder string) string {
	name, _, _ := strings.Cut(holder, "@")
	return name
}

// accountOf returns the account's name in the ledger and in the control API.
func accountOf(holder string) string { return hostOfHolder(holder) + "/" + nameOf(holder) }

// has reports whether the post is on the server that is called.
func (r request) has(post ledger.Post) bool {
	return strings.HasPrefix(post.Account, hostOf(r.Request)+"/")
}

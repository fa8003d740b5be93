package web

import (
	"net/http"
	"net/url"
	"strings"

	"socialpub.internal/services/console/internal/view"
	"socialpub.internal/services/internal/authserver"
	"socialpub.internal/shared/domain/credential"
	"socialpub.internal/shared/domain/oauth"
	"socialpub.internal/shared/kernel/apperr"
	"socialpub.internal/shared/kernel/ident"
)

// showConsent shows the program and the access that it requests.
func (w *Web) showConsent(rw http.ResponseWriter, r *http.Request, v visitor) {
	w.consent(rw, r, v, r.URL.Query().Get("request"), http.StatusOK, "")
}

func (w *Web) consent(rw http.ResponseWriter, r *http.Request, v visitor, handle string, status int, fault string) {
	asked, err := w.cfg.Authorizations.Asked(r.Context(), handle)
	if w.over(rw, r, err) {
		return
	}
	workspaces, err := w.cfg.Users.Workspaces(r.Context(), v.user.ID)
	if err != nil {
		w.trouble(rw, r, err)
		return
	}
	if len(workspaces) == 0 {
		w.say(rw, r, http.StatusForbidden, "No workspace",
			"You are not a member of a workspace. Ask the operator of your workspace to add you.")
		return
	}
	page := view.Consent{
		Page: v.page(asked.Client.Title() + " requests access"), Request: handle, Program: asked.Client.Title(),
		Host:       asked.Request.Host(),
		FirstParty: asked.Client.Kind == oauth.FirstParty, Local: asked.Request.Local(),
		Tools: asked.Request.Resource == w.cfg.ToolsURL, Permissions: view.Permissions(asked.Request.Scopes), Error: fault,
	}
	if asked.Client.Kind == oauth.Published {
		page.Publisher = asked.Client.Host()
	}
	for _, workspace := range workspaces {
		page.Workspaces = append(page.Workspaces, view.Choice{
			ID: workspace.ID, Name: workspace.Name, Plan: planName(string(workspace.Plan)), Checked: len(workspaces) == 1,
		})
	}
	rw.Header().Set("Content-Security-Policy", policy("'self' "+onwardFrom(asked.Request.RedirectURI)))
	w.page(rw, r, status, func() error { return w.pages.Consent(rw, page) })
}

func planName(plan string) string { return plan[:1] + strings.ToLower(plan[1:]) + " plan" }

// onwardFrom returns the form-action sources that the redirect after the decision may lead to. Browsers check every
// redirect after a form submission against form-action, and a program may redirect to another site of its own. The only
// IP address that a source can name is 127.0.0.1 (Content Security Policy Level 3, section 6.7.2.8).
func onwardFrom(redirect string) string {
	u, err := url.Parse(redirect)
	switch {
	case err != nil || u.Scheme != "http":
		return "https:"
	case u.Hostname() == "localhost" || u.Hostname() == "127.0.0.1":
		return "https: http://" + u.Host
	default:
		return "https: http:"
	}
}

// over responds if the authorization request is no longer pending or cannot be read, and reports whether it did.
func (w *Web) over(rw http.ResponseWriter, r *http.Request, err error) bool {
	switch {
	case err == nil:
		return false
	case apperr.Is(err, apperr.NotFound):
		w.say(rw, r, http.StatusGone, "Request expired",
			"The request was already decided or has expired. Start again from the program.")
	default:
		w.trouble(rw, r, err)
	}
	return true
}

// decide applies the user's decision and redirects the browser to the program.
func (w *Web) decide(rw http.ResponseWriter, r *http.Request, v visitor) {
	handle := r.PostFormValue("request")
	var back *url.URL
	var err error
	switch r.PostFormValue("decision") {
	case "deny":
		back, err = w.cfg.Authorizations.Deny(r.Context(), handle)
	case "allow":
		var fault string
		if back, fault, err = w.allow(r, v, handle); fault != "" {
			w.consent(rw, r, v, handle, http.StatusUnprocessableEntity, fault)
			return
		}
	default:
		w.consent(rw, r, v, handle, http.StatusUnprocessableEntity, "Choose Allow or Cancel.")
		return
	}
	if w.over(rw, r, err) {
		return
	}
	// Never 307, which would repeat the form submission there.
	http.Redirect(rw, r, back.String(), http.StatusSeeOther) //nolint:gosec // G710: one of the client's registered redirects
}

func (w *Web) allow(r *http.Request, v visitor, handle string) (back *url.URL, fault string, err error) {
	workspace, err := ident.Parse[ident.Workspace](r.PostFormValue("workspace"))
	if err != nil {
		return nil, "Choose a workspace.", nil //nolint:nilerr // shown to the user
	}
	scopes := make([]credential.Scope, len(r.PostForm["scope"]))
	for i, name := range r.PostForm["scope"] {
		scopes[i] = credential.Scope(name)
	}
	if len(scopes) == 0 {
		return nil, "Allow at least one permission, or cancel.", nil
	}
	back, err = w.cfg.Authorizations.Allow(r.Context(), handle,
		authserver.Decision{UserID: v.user.ID, WorkspaceID: workspace, Scopes: scopes})
	if apperr.Is(err, apperr.ValidationFailed) {
		return nil, "The permissions differ from the requested ones.", nil
	}
	return back, "", err
}

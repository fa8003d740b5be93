package frame

import (
	"cmp"
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"os"
	"regexp"
	"slices"
	"strings"
	"time"

	"fencepost.internal/services/internal/app"
	"fencepost.internal/services/internal/problem"
	"fencepost.internal/shared/domain/credential"
	"fencepost.internal/shared/domain/member"
	"fencepost.internal/shared/domain/user"
	"fencepost.internal/shared/domain/workspace"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/kernel/apperr"
	"fencepost.internal/shared/kernel/ident"
	"fencepost.internal/shared/kernel/plaintext"
)

// maxNext bounds the length of an address to return to.
const maxNext = 500

// Visit is a request of a browser, with its sender.
type Visit struct {
	Out     http.ResponseWriter
	Request *http.Request
	User    user.User // zero without a sign-in

	// The following are set on routes of Members.

	Principal app.Principal
	Workspace workspace.Workspace
	Role      member.Role

	session     string // the cookie; before sign-in, it only identifies the browser
	memberships []postgres.Membership
	attention   *postgres.Attention
	section     *Section
	zone        *time.Location // of the workspace
	sequence    int64          // of the last event of the workspace, read before everything that the page shows
	frame       *Frame
}

// Sequence returns the number of the workspace's last event when the request arrived.
func (v *Visit) Sequence() int64 { return v.sequence }

// Form returns a field of the form without surrounding space.
func (v *Visit) Form(name string) string {
	return strings.TrimSpace(plaintext.Normalize(v.Request.PostFormValue(name)))
}

// Fields returns the fields of the form, with repeated ones.
func (v *Visit) Fields() url.Values {
	return v.Request.PostForm //nolint:forbidigo // a field of the request, no call
}

// Query returns a parameter of the address.
func (v *Visit) Query(name string) string { return v.Request.URL.Query().Get(name) }

// Path returns a path within the visitor's workspace.
func (v *Visit) Path(within string) string { return "/w/" + v.Workspace.ID.String() + within }

// Attention counts what waits for the people of the workspace. A failure hides the counts, not the page.
func (v *Visit) Attention() postgres.Attention {
	if v.attention == nil {
		found, err := v.frame.cfg.App.Attention(v.Request.Context(), v.Principal)
		if err != nil {
			v.frame.cfg.Logger.WarnContext(v.Request.Context(), "what waits was not counted", slog.Any("error", err))
		}
		v.attention = &found
	}
	return *v.attention
}

// PathID parses a wildcard of the address; NOT_FOUND for text that is not an ID.
func PathID[I ~[16]byte](v *Visit, name string, parse func(string) (I, error)) (I, error) {
	id, err := parse(v.Request.PathValue(name))
	if err != nil {
		return id, apperr.New(apperr.NotFound, "This page does not exist.")
	}
	return id, nil
}

// serve returns the handler of a route.
func (f *Frame) serve(section *Section, route Route) http.HandlerFunc {
	limit := cmp.Or(route.MaxForm, maxForm)
	return func(rw http.ResponseWriter, r *http.Request) {
		r.Body = http.MaxBytesReader(rw, r.Body, limit)
		v, err := &Visit{Out: rw, Request: r, frame: f}, error(nil)
		if route.Access != Outside {
			v, err = f.visit(rw, r)
		}
		v.section = section
		if err != nil {
			v.fail(err) //nolint:contextcheck // the visit has the request with its context
			return
		}
		if err := v.handle(route); err != nil { //nolint:contextcheck // as above
			v.fail(err) //nolint:contextcheck // as above
		}
	}
}

// handle checks that the route admits the visitor, and calls it.
func (v *Visit) handle(route Route) error {
	if (route.Access == SignedIn || route.Access == Members) && v.User.ID.IsZero() {
		v.askToSignIn()
		return nil
	}
	if route.Access == Members {
		if err := v.enterWorkspace(); err != nil {
			return err
		}
		if route.Live && v.Workspace.IsTest() {
			v.Message(http.StatusNotFound, "Not in test mode", "This page belongs to the live workspace.",
				Link{Text: "Go to the live workspace", Path: "/w/" + v.Workspace.LiveID.String()})
			return nil
		}
	}
	if v.Request.ContentLength > cmp.Or(route.MaxForm, maxForm) {
		v.tooLarge()
		return nil
	}
	if route.Method() == http.MethodPost && !v.arrived(route) {
		return nil
	}
	if route.Needs != "" {
		if err := v.Principal.Require(route.Needs); err != nil {
			return err
		}
	}
	if route.Fresh {
		if requested, err := v.askToConfirm(route); requested || err != nil {
			return err
		}
	}
	return route.Handle(v)
}

func (v *Visit) tooLarge() {
	v.Say(http.StatusRequestEntityTooLarge, "Too large", "The form is too large. Nothing was changed.")
}

// maxMemory is the size of the files of a form that are kept in memory; larger ones are in temporary files.
const maxMemory = 1 << 20

// arrived reads the form. It responds if the form did not arrive whole, and reports whether it did. The fields of a
// malformed form are those before the fault.
func (v *Visit) arrived(route Route) bool {
	err := v.Request.ParseForm()
	if err == nil {
		if err = v.Request.ParseMultipartForm(maxMemory); errors.Is(err, http.ErrNotMultipart) {
			err = nil
		}
	}
	var large *http.MaxBytesError
	switch {
	case errors.As(err, &large):
		v.detached(v.tooLarge)
	case errors.Is(err, os.ErrDeadlineExceeded):
		remedy := "over a faster connection."
		if route.MaxForm > 0 {
			remedy = "with a smaller file or over a faster connection."
		}
		v.detached(func() {
			v.Say(http.StatusRequestTimeout, "Not received in time",
				"The form took too long to arrive, and nothing was changed. Go back and try again, "+remedy)
		})
	case errors.Is(err, io.ErrUnexpectedEOF):
		v.detached(func() {
			v.Say(http.StatusBadRequest, "Not received", "The form did not arrive whole, and nothing was changed. "+
				"Go back and try again.")
		})
	default:
		return true
	}
	return false
}

// detached responds after a failed read, which has canceled the context of the request. The page needs the database.
func (v *Visit) detached(respond func()) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(v.Request.Context()), v.frame.cfg.Timeouts.Request)
	defer cancel()
	v.Request = v.Request.WithContext(ctx)
	respond()
}

// enterWorkspace reads the workspace of the address; NOT_FOUND unless the visitor is a member.
func (v *Visit) enterWorkspace() error {
	id, err := PathID(v, "workspace", ident.Parse[ident.Workspace])
	if err != nil {
		return err
	}
	return v.Within(id)
}

// Within continues the visit in a workspace, on a route whose address does not name one; NOT_FOUND unless the visitor is
// a member.
func (v *Visit) Within(id ident.Workspace) error {
	memberships, err := v.places()
	if err != nil {
		return err
	}
	for _, m := range memberships {
		if m.Workspace.ID == id {
			v.Workspace, v.Role, v.sequence, v.zone = m.Workspace, m.Role, m.Sequence, ZoneOf(m.Workspace.Timezone)
			v.Principal = app.PrincipalOf(app.Person{ID: v.User.ID, Name: v.User.Name, Email: v.User.Email, AltTexts: m.Workspace.AltTexts}, m)
			return nil
		}
	}
	return apperr.New(apperr.NotFound, "This page does not exist.")
}

// InZone shows times in the time zone of a workspace, on a page outside of it.
func (v *Visit) InZone(of workspace.Workspace) { v.zone = ZoneOf(of.Timezone) }

// Memberships returns the live workspaces of the visitor.
func (v *Visit) Memberships() ([]postgres.Membership, error) {
	all, err := v.places()
	return slices.DeleteFunc(slices.Clone(all), func(m postgres.Membership) bool { return m.Workspace.IsTest() }), err
}

// places returns the live and the test workspaces of the visitor.
func (v *Visit) places() ([]postgres.Membership, error) {
	var err error
	if v.memberships == nil && !v.User.ID.IsZero() {
		v.memberships, err = v.frame.cfg.Users.Memberships(v.Request.Context(), v.User.ID)
	}
	return v.memberships, err
}

// askToSignIn redirects to the sign-in page, and from there back to the page that was asked for.
func (v *Visit) askToSignIn() {
	query := url.Values{}
	from := v.referer()
	switch next := v.Request.URL.RequestURI(); {
	case v.Request.Method != http.MethodGet:
		query.Set("ended", "action")
		if IsNext(from) {
			query.Set("next", from)
		}
	case IsHandle(v.Query("request")):
		query.Set("request", v.Query("request"))
	case IsNext(next):
		query.Set("next", next)
		if strings.HasPrefix(from, "/w/") {
			query.Set("ended", "page")
		}
	}
	target := PathSignIn
	if len(query) > 0 {
		target += "?" + query.Encode()
	}
	if v.ByScript() { // a redirect would put the sign-in page into a part of the page
		v.Out.Header().Set("HX-Redirect", target)
		v.Out.WriteHeader(http.StatusNoContent)
		return
	}
	v.Redirect(target)
}

// referer returns the path of the application's page from which the request came; empty for another site.
func (v *Visit) referer() string {
	from, err := url.Parse(v.Request.Referer())
	if err != nil || from.Scheme+"://"+from.Host != v.frame.cfg.AppURL {
		return ""
	}
	return from.RequestURI()
}

// IsHandle reports whether the text has the form of the handle of a pending authorization request.
func IsHandle(text string) bool {
	_, err := credential.AuthorizationRequest.Hash(text)
	return err == nil
}

var nextPattern = regexp.MustCompile(`^/(?:device|(?:w|invitations|leads)/[A-Za-z0-9/?=&_.,:%-]*)$`)

// IsNext reports whether the text is an address of the application to which a visitor may return after sign-in.
func IsNext(text string) bool {
	return len(text) <= maxNext && nextPattern.MatchString(text) && !strings.Contains(text, "//") &&
		!strings.Contains(text, "..")
}

// Redirect sends the browser to a path of the application with GET.
func (v *Visit) Redirect(path string) {
	http.Redirect(v.Out, v.Request, path, http.StatusSeeOther) //nolint:gosec // G710: callers check that it is within the application
}

// Say responds with a message page.
func (v *Visit) Say(status int, heading, text string) {
	back := Link{Text: "Go to the start page", Path: "/"}
	if !v.Workspace.ID.IsZero() && v.section != nil {
		back = Link{Text: "Back to " + v.section.Title, Path: v.Path(v.section.Path)}
	}
	v.Message(status, heading, text, back)
}

// Link is a link with its text.
type Link struct{ Text, Path string }

// Message responds with a message page that has a link.
func (v *Visit) Message(status int, heading, text string, link Link) {
	page := Page{Name: "frame/message", Title: heading, Status: status, Bare: v.Workspace.ID.IsZero()}
	page.Data = struct {
		Heading, Text string
		Link          Link
	}{heading, text, link}
	if err := v.Page(page); err != nil {
		v.frame.cfg.Logger.ErrorContext(v.Request.Context(), "page not written",
			slog.String("path", v.Request.URL.Path), slog.Any("error", err))
	}
}

// unavailable returns what a person can rely on when a dependency did not respond. The response to a change may have
// been lost after the change.
func unavailable(method string) string {
	if method == http.MethodGet || method == http.MethodHead {
		return "Part of the service is not responding. Try again in a minute."
	}
	return "Part of the service is not responding. Your change may have been saved. Check before you try again."
}

// fail responds to an error.
func (v *Visit) fail(err error) {
	code := apperr.CodeOf(err)
	known, _ := errors.AsType[*apperr.Error](err)
	switch code { //nolint:exhaustive // every other code has the same page
	case apperr.NotFound:
		v.Say(http.StatusNotFound, "Not found", "This page does not exist, or it is in another workspace.")
	case apperr.InsufficientScope:
		v.Say(http.StatusForbidden, "Not allowed", known.Message)
	case apperr.Internal, apperr.Unavailable:
		if errors.Is(err, context.Canceled) && v.Request.Context().Err() != nil {
			return // the browser has left
		}
		v.frame.cfg.Logger.ErrorContext(v.Request.Context(), "request failed",
			slog.String("path", v.Request.URL.Path), slog.Any("error", err))
		v.Say(http.StatusServiceUnavailable, "Temporarily unavailable",
			unavailable(v.Request.Method))
	default:
		v.Say(problem.KindOf(code).Status, "Not done", known.Message)
	}
}

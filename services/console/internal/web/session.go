package web

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"log/slog"
	"net/http"
	"time"

	"socialpub.internal/services/console/internal/view"
	"socialpub.internal/shared/domain/credential"
	"socialpub.internal/shared/domain/user"
	"socialpub.internal/shared/kernel/apperr"
)

// Session lifetimes.
const (
	sessionIdle = 12 * time.Hour
	sessionLife = 30 * 24 * time.Hour
)

// visitor is the sender of a request: a browser and its signed-in user.
type visitor struct {
	session string // the cookie; before sign-in, it only identifies the browser
	user    user.User
}

// token returns the token that proves that a form came from a page of this session.
func (v visitor) token() string {
	mac := hmac.New(sha256.New, []byte(v.session))
	mac.Write([]byte("form"))
	return base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
}

// sent reports whether the form contains the visitor's token.
func (v visitor) sent(r *http.Request) bool {
	return v.session != "" && hmac.Equal([]byte(v.token()), []byte(r.PostFormValue("token")))
}

func (v visitor) page(title string) view.Page {
	return view.Page{Title: title, Email: v.user.Email, Token: v.token()}
}

// cookieName returns the cookie's name. Over https it has a prefix that prevents other sites from setting it; the
// prefix requires https.
func (w *Web) cookieName() string {
	if w.secure {
		return "__Host-session"
	}
	return "session"
}

func (w *Web) setCookie(rw http.ResponseWriter, session string, life time.Duration) {
	http.SetCookie(rw, &http.Cookie{ //nolint:gosec // G124: Secure is unset only in development, which has no https
		Name: w.cookieName(), Value: session, Path: "/", MaxAge: int(life.Seconds()), Secure: w.secure, HttpOnly: true,
		SameSite: http.SameSiteLaxMode,
	})
}

// visitor returns the sender of a request. A browser without a cookie gets one, so that its forms can be verified.
func (w *Web) visitor(rw http.ResponseWriter, r *http.Request) (visitor, error) {
	cookie, err := r.Cookie(w.cookieName())
	if err == nil {
		if hash, err := credential.Session.Hash(cookie.Value); err == nil {
			now := w.cfg.Clock.Now()
			u, err := w.cfg.Users.Session(r.Context(), hash, now.Add(-sessionLife), now.Add(-sessionIdle), now)
			if apperr.Is(err, apperr.NotFound) {
				err = nil
			}
			return visitor{session: cookie.Value, user: u}, err
		}
	}
	v := visitor{session: credential.Session.New()}
	w.setCookie(rw, v.session, sessionLife)
	return v, nil
}

// signedIn calls next for signed-in users. Others are redirected to the sign-in page and continue after it.
func (w *Web) signedIn(next func(http.ResponseWriter, *http.Request, visitor)) http.HandlerFunc {
	return func(rw http.ResponseWriter, r *http.Request) {
		v, err := w.visitor(rw, r)
		switch {
		case err != nil:
			w.trouble(rw, r, err)
		case v.user.ID.IsZero() && r.Method == http.MethodGet:
			target := pathSignIn
			if handle := r.URL.Query().Get("request"); isHandle(handle) {
				target += "?request=" + handle
			}
			http.Redirect(rw, r, target, http.StatusSeeOther) //nolint:gosec // G710: an own path; the handle's form was checked
		case v.user.ID.IsZero():
			http.Redirect(rw, r, pathSignIn, http.StatusSeeOther)
		case r.Method == http.MethodPost && !v.sent(r):
			w.say(rw, r, http.StatusForbidden, "Request rejected",
				"The form is from another session. Nothing was changed. Go back, reload the page, and try again.")
		default:
			next(rw, r, v)
		}
	}
}

func isHandle(text string) bool {
	_, err := credential.AuthorizationRequest.Hash(text)
	return err == nil
}

// enter signs a user in with a new session. It ends the session of the previous cookie.
func (w *Web) enter(rw http.ResponseWriter, r *http.Request, before visitor, u user.User) error {
	session := credential.Session.New()
	hash, err := credential.Session.Hash(session)
	if err != nil {
		return err
	}
	if err := w.cfg.Users.InsertSession(r.Context(), hash, u.ID, w.cfg.Clock.Now()); err != nil {
		return err
	}
	if hash, err = credential.Session.Hash(before.session); err == nil {
		err = w.cfg.Users.EndSession(r.Context(), hash)
	}
	if err != nil {
		return err
	}
	w.setCookie(rw, session, sessionLife)
	w.cfg.Logger.InfoContext(r.Context(), "user signed in", slog.String("user_id", u.ID.String()))
	return nil
}

func (w *Web) signOut(rw http.ResponseWriter, r *http.Request) {
	v, err := w.visitor(rw, r)
	if err == nil && !v.sent(r) {
		w.say(rw, r, http.StatusForbidden, "Request rejected",
			"The form is from another session. Go back, reload the page, and try again.")
		return
	}
	var hash [32]byte
	if err == nil {
		hash, err = credential.Session.Hash(v.session)
	}
	if err == nil {
		err = w.cfg.Users.EndSession(r.Context(), hash)
	}
	if err != nil && !errors.Is(err, credential.ErrMalformed) {
		w.trouble(rw, r, err)
		return
	}
	w.setCookie(rw, "", -time.Second)
	http.Redirect(rw, r, pathSignIn, http.StatusSeeOther)
}

// Sweep deletes expired sessions, requests, codes, tokens and clients.
func (w *Web) Sweep(ctx context.Context) {
	now := w.cfg.Clock.Now()
	ended, err := w.cfg.Users.PruneSessions(ctx, now.Add(-sessionLife), now.Add(-sessionIdle))
	err = errors.Join(err, w.cfg.Authorizations.Sweep(ctx, now))
	if err != nil {
		w.cfg.Logger.WarnContext(ctx, "expired records not deleted", slog.Any("error", err))
		return
	}
	w.cfg.Logger.DebugContext(ctx, "expired records deleted", slog.Int64("sessions", ended))
}

package frame

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"log/slog"
	"net/http"
	"strings"
	"time"

	"fencepost.internal/shared/domain/credential"
	"fencepost.internal/shared/domain/user"
	"fencepost.internal/shared/kernel/apperr"
	"fencepost.internal/shared/kernel/ident"
)

// Session lifetimes.
const (
	sessionIdle = 12 * time.Hour
	sessionLife = 30 * 24 * time.Hour
	maxAgent    = 300 // characters
)

// Binding returns a text that is the same in every request of the session, to bind to it what another site returns. It
// does not reveal the cookie.
func (v *Visit) Binding() string { return v.sign("binding") }

func (v *Visit) sign(text string) string {
	mac := hmac.New(sha256.New, []byte(v.session))
	mac.Write([]byte(text))
	return base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
}

// cookieName returns the name of a cookie. Over https it has a prefix that prevents other sites from setting it; the
// prefix requires https.
func (f *Frame) cookieName(name string) string {
	if f.secure {
		return "__Host-" + name
	}
	return name
}

func (v *Visit) setCookie(name, value string, life time.Duration) {
	http.SetCookie(v.Out, &http.Cookie{ //nolint:gosec // G124: Secure is unset only in development, which has no https
		Name: v.frame.cookieName(name), Value: value, Path: "/", MaxAge: int(life.Seconds()), Secure: v.frame.secure,
		HttpOnly: true, SameSite: http.SameSiteLaxMode,
	})
}

// visit returns the sender of a request. A browser without a cookie gets one, to bind to it what other sites return.
func (f *Frame) visit(rw http.ResponseWriter, r *http.Request) (*Visit, error) {
	v := &Visit{Out: rw, Request: r, frame: f}
	cookie, err := r.Cookie(f.cookieName("session"))
	if err == nil {
		if hash, err := credential.Session.Hash(cookie.Value); err == nil {
			now := f.cfg.Clock.Now()
			v.session = cookie.Value
			v.User, err = f.cfg.Users.Session(r.Context(), hash, now.Add(-sessionLife), now.Add(-sessionIdle), now)
			if apperr.Is(err, apperr.NotFound) {
				err = nil
			}
			return v, err
		}
	}
	v.session = credential.Session.New()
	v.setCookie("session", v.session, sessionLife)
	return v, nil
}

// Enter signs a user in with a new session. It ends the session of the previous cookie. The error is INVALID_STATE if the
// method is not enough for the user, who then needs AwaitSecondFactor.
func (v *Visit) Enter(u user.User, by user.Method) error {
	if !u.Enters(by) {
		return apperr.New(apperr.InvalidState, "Your account needs a second factor. Sign in again.")
	}
	return v.start(u, by)
}

// Reenter signs the visitor in again after a change that ended every session of the visitor.
func (v *Visit) Reenter() error { return v.start(v.User, user.Password) }

// start stores a new session.
func (v *Visit) start(u user.User, by user.Method) error {
	users, session := v.frame.cfg.Users, credential.Session.New()
	hash, err := credential.Session.Hash(session)
	if err != nil {
		return err
	}
	agent := []rune(strings.ToValidUTF8(strings.ReplaceAll(v.Request.UserAgent(), "\x00", ""), ""))
	err = users.InsertSession(v.Request.Context(), hash, user.Session{
		ID: ident.New[ident.Session](), UserID: u.ID, CreatedAt: v.frame.cfg.Clock.Now(),
		Agent: string(agent[:min(len(agent), maxAgent)]), Method: by,
		Place: v.Place(),
	})
	if err != nil {
		return err
	}
	if err := v.end(); err != nil {
		return err
	}
	v.session, v.User = session, u
	v.setCookie("session", session, sessionLife)
	v.frame.cfg.Logger.InfoContext(v.Request.Context(), "user signed in", slog.String("user_id", u.ID.String()),
		slog.String("method", string(by)))
	return nil
}

// Leave ends the session of the browser.
func (v *Visit) Leave() error {
	if err := v.end(); err != nil {
		return err
	}
	v.setCookie("session", "", -time.Second)
	return nil
}

func (v *Visit) end() error {
	hash, err := credential.Session.Hash(v.session)
	if errors.Is(err, credential.ErrMalformed) {
		return nil
	}
	if err == nil {
		err = errors.Join(v.frame.cfg.Users.EndSession(v.Request.Context(), hash),
			v.frame.cfg.Users.EndSteps(v.Request.Context(), hash))
	}
	return err
}

// Sessions returns the signed-in browsers of the visitor, the present one first.
func (v *Visit) Sessions() ([]user.Session, error) {
	hash, err := credential.Session.Hash(v.session)
	if err != nil {
		return nil, err
	}
	now := v.frame.cfg.Clock.Now()
	return v.frame.cfg.Users.Sessions(v.Request.Context(), v.User.ID, hash, now.Add(-sessionLife), now.Add(-sessionIdle))
}

// Lasting returns the times after which a session must have started and have been used last.
func Lasting(now time.Time) (began, seen time.Time) {
	return now.Add(-sessionLife), now.Add(-sessionIdle)
}

// Sweep deletes expired sessions.
func (f *Frame) Sweep(ctx context.Context) error {
	now := f.cfg.Clock.Now()
	ended, err := f.cfg.Users.PruneSessions(ctx, now.Add(-sessionLife), now.Add(-sessionIdle))
	if err == nil {
		err = f.cfg.Users.PruneSteps(ctx, now)
	}
	if err == nil {
		f.cfg.Logger.DebugContext(ctx, "expired sessions deleted", slog.Int64("sessions", ended))
	}
	return err
}

package clients

import (
	"encoding/base64"
	"errors"
	"net/http"
	"strings"
	"time"

	"fencepost.internal/services/console/internal/frame"
	"fencepost.internal/services/internal/app"
	"fencepost.internal/shared/domain/clientlink"
	"fencepost.internal/shared/kernel/apperr"
	"fencepost.internal/shared/kernel/ident"
)

// pass is kept by the browser of a guest for one link: the proof of its password, and the name that the guest gave.
type pass struct{ proof, name string }

// cookie returns the name of the pass. Browsers send it only to the pages of its link.
func (p *pages) cookie() string {
	if strings.HasPrefix(p.appURL, "https:") {
		return "__Secure-guest"
	}
	return "guest"
}

// passOf reads the pass. What the browser sends is checked where it is used.
func (p *pages) passOf(v *frame.Visit) pass {
	cookie, err := v.Request.Cookie(p.cookie())
	if err != nil {
		return pass{}
	}
	proof, encoded, _ := strings.Cut(cookie.Value, ".")
	raw, err := base64.RawURLEncoding.DecodeString(encoded)
	if err != nil {
		return pass{proof: proof}
	}
	name, err := clientlink.GuestName(string(raw))
	if err != nil {
		name = ""
	}
	return pass{proof, name}
}

// keep gives the browser a pass until the link ends.
func (p *pages) keep(v *frame.Visit, r app.Reading, of pass) {
	http.SetCookie(v.Out, &http.Cookie{ //nolint:gosec // G124: Secure is unset only in development, which has no https
		Name: p.cookie(), Value: of.proof + "." + base64.RawURLEncoding.EncodeToString([]byte(of.name)),
		Path: pathReview + v.Request.PathValue("token"), MaxAge: max(1, int(r.Link.ExpiresAt.Sub(v.Now())/time.Second)),
		Secure: strings.HasPrefix(p.appURL, "https:"), HttpOnly: true, SameSite: http.SameSiteLaxMode,
	})
}

// enter takes the password of the link, and the name of the guest.
func (p *pages) enter(v *frame.Visit) error {
	r, ok, err := p.open(v)
	if err != nil || !ok {
		return err
	}
	of := p.passOf(v)
	if !r.Link.Admits(of.proof) {
		right, err := p.unlocks(v, r)
		if err != nil {
			return err
		}
		if right != http.StatusOK {
			fault := "The password is incorrect."
			if right == http.StatusTooManyRequests {
				v.Out.Header().Set("Retry-After", "60")
				fault = "Too many attempts. Wait a minute, then try again."
			}
			return p.reviewPage(v, right, r, refusal{}, fault)
		}
		of.proof = r.Link.Proof()
	}
	if p.pageOf(v, r).Speaks && !r.Link.Personal {
		if of.name, err = clientlink.GuestName(v.Form("guest")); err != nil {
			return p.reviewPage(v, http.StatusUnprocessableEntity, r, refusal{}, "Enter your name, in up to 80 characters.")
		}
	}
	p.keep(v, r, of)
	v.Redirect(pathReview + v.Request.PathValue("token"))
	return nil
}

// unlocks compares the password of the form. Guesses are limited per network, per link and network, and per link.
func (p *pages) unlocks(v *frame.Visit, r app.Reading) (status int, err error) {
	link, place := r.Link.ID.String(), v.Place()
	if !p.allowed(v, "review-guess-from:"+place, guessesOfPlace) || !p.allowed(v, "review-guess:"+link, guessesOfLink) {
		return http.StatusTooManyRequests, nil
	}
	right, err := p.app.UnlockClientLink(v.Request.Context(), r, v.Request.PostFormValue("password"))
	if err != nil || right {
		return http.StatusOK, err
	}
	return http.StatusUnauthorized, nil
}

// act takes the words of a guest about a post.
func (p *pages) act(v *frame.Visit) error {
	r, ok, err := p.open(v)
	if err != nil || !ok {
		return err
	}
	of := p.passOf(v)
	if !r.Link.Admits(of.proof) {
		return p.reviewPage(v, http.StatusUnauthorized, r, refusal{}, "Enter the password first.")
	}
	if of.name == "" && !r.Link.Personal {
		return p.reviewPage(v, http.StatusUnprocessableEntity, r, refusal{}, "Enter your name first.")
	}
	if !p.allowed(v, "review-words:"+r.Link.ID.String(), wordsOfLink) {
		return p.tooMany(v, r)
	}
	id, err := ident.Parse[ident.Post](v.Request.PathValue("post"))
	if err != nil || !r.Link.Shares(id) {
		return p.reviewPage(v, http.StatusNotFound, r, refusal{}, "This post is no longer part of the link.")
	}
	words, did := app.GuestWords{Post: id, Comment: v.Form("comment"), Seen: v.Form("seen")}, v.Form("do")
	switch did {
	case "comment":
		err = p.app.CommentByLink(v.Request.Context(), r.As(of.name), words)
	case "approve", "changes":
		err = p.app.DecideByLink(v.Request.Context(), r.As(of.name), did == "approve", words)
	default:
		return p.reviewPage(v, http.StatusUnprocessableEntity, r, refusal{id.String(), "Choose what to do.", words.Comment}, "")
	}
	if err != nil {
		status, fault := refused(err)
		if status == 0 {
			return err
		}
		return p.reviewPage(v, status, r, refusal{id.String(), fault, words.Comment}, "")
	}
	v.Redirect(back(v, did, id.String()))
	return nil
}

// refused says to a guest why nothing was done; 0 for a failure of the service.
func refused(failure error) (status int, fault string) {
	known, ok := errors.AsType[*apperr.Error](failure)
	if !ok {
		return 0, ""
	}
	switch known.Code { //nolint:exhaustive // the others are said in their own words
	case apperr.Internal, apperr.Unavailable:
		return 0, ""
	case apperr.NotFound:
		return http.StatusNotFound, "This post was deleted."
	case apperr.PreconditionFailed:
		return http.StatusConflict, "This post was changed since you opened it. This is the new version: look at it again."
	case apperr.InvalidState:
		return http.StatusConflict, "This post no longer waits for approval. Nothing was changed."
	case apperr.ApprovalRequired:
		return http.StatusConflict, "Someone of the team must approve this post."
	case apperr.InsufficientScope:
		return http.StatusForbidden, "This link doesn’t allow that."
	}
	for _, f := range known.Fields {
		if f.Pointer == "/comment" {
			return http.StatusUnprocessableEntity, frame.Sentence(f.Message)
		}
	}
	if len(known.Fields) > 0 {
		return http.StatusConflict, "The team has to correct this post before it can be approved. Leave a comment."
	}
	return http.StatusConflict, frame.Sentence(known.Message)
}

// wordsAfter returns what a person said with a decision, which the detail has after a colon.
func wordsAfter(detail string) string {
	_, words, _ := strings.Cut(detail, ": ")
	return words
}

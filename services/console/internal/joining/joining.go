// Package joining serves the pages by which people get in: the set-up of the first owner, and invitations.
package joining

import (
	"embed"
	"net/http"

	"socialpub.internal/services/console/internal/frame"
	"socialpub.internal/services/internal/app"
	"socialpub.internal/shared/domain/user"
	"socialpub.internal/shared/kernel/apperr"
)

//go:embed templates
var templates embed.FS

// PathSetup is the path before the secret of the first owner's link.
const PathSetup = "/setup/"

type joining struct{ app *app.App }

// Feature returns the pages.
func Feature(a *app.App) frame.Feature {
	j := &joining{app: a}
	return frame.Feature{Name: "joining", Templates: templates, Routes: []frame.Route{
		{Pattern: "GET " + PathSetup + "{secret}", Handle: j.showSetup},
		{Pattern: "POST " + PathSetup + "{secret}", Handle: j.setup},
		{Pattern: "GET /invitations/{secret}", Handle: j.showOffer},
		{Pattern: "POST /invitations/{secret}", Handle: j.signUp},
		{Pattern: "POST /invitations/{secret}/accept", Access: frame.SignedIn, Handle: j.accept},
	}}
}

// form is the data of the pages on which a person signs up.
type form struct {
	Secret                           string
	Email, Name, Workspace, Timezone string
	Faults                           map[string]string
}

// over responds if a link cannot be used, and reports whether it did.
func over(v *frame.Visit, err error) bool {
	if !apperr.Is(err, apperr.NotFound) {
		return false
	}
	v.Message(http.StatusGone, "Link no longer valid", "The link was used, revoked or replaced by a newer one, or it has ended.",
		frame.Link{Text: "Go to the start page", Path: "/"})
	return true
}

func (j *joining) showSetup(v *frame.Visit) error {
	err := j.app.SetupOpen(v.Request.Context(), v.Request.PathValue("secret"))
	if over(v, err) {
		return nil
	}
	if err != nil {
		return err
	}
	return setupPage(v, http.StatusOK, form{Timezone: "UTC"})
}

func setupPage(v *frame.Visit, status int, in form) error {
	in.Secret = v.Request.PathValue("secret")
	return v.Page(frame.Page{Name: "joining/setup", Title: "Welcome", Status: status, Bare: true, Data: in})
}

func (j *joining) setup(v *frame.Visit) error {
	in := form{
		Email: v.Form("email"), Name: v.Form("name"), Workspace: v.Form("workspace"), Timezone: v.Form("timezone"),
	}
	made, err := j.app.SetUp(v.Request.Context(), v.Request.PathValue("secret"), app.Setup{
		NewPerson: app.NewPerson{Email: in.Email, Name: in.Name, Password: v.Request.PostFormValue("password")},
		Workspace: in.Workspace, Timezone: in.Timezone,
	})
	if faults, ok := frame.Faults(err); ok {
		in.Faults = faults
		return setupPage(v, http.StatusUnprocessableEntity, in)
	}
	if over(v, err) {
		return nil
	}
	if err == nil {
		err = v.Enter(made, user.Password)
	}
	if err != nil {
		return err
	}
	v.Redirect("/")
	return nil
}

// offerPage is the data of an invitation.
type offerPage struct {
	app.Offer
	form

	OtherUser bool // signed in with another address
	Path      string
}

func (j *joining) showOffer(v *frame.Visit) error { return j.offerPage(v, http.StatusOK, form{}) }

func (j *joining) offerPage(v *frame.Visit, status int, in form) error {
	in.Secret = v.Request.PathValue("secret")
	offer, err := j.app.Offer(v.Request.Context(), in.Secret)
	if over(v, err) {
		return nil
	}
	if err != nil {
		return err
	}
	page := offerPage{Offer: offer, form: in, Path: "/invitations/" + in.Secret}
	page.OtherUser = !v.User.ID.IsZero() && !offer.For(v.User.Email)
	return v.Page(frame.Page{
		Name: "joining/offer", Title: "Invitation to " + offer.Workspace.Name, Status: status, Bare: true, Data: page,
	})
}

// signUp creates a user for the address of the invitation.
func (j *joining) signUp(v *frame.Visit) error {
	in := form{Name: v.Form("name")}
	made, workspace, err := j.app.SignUp(v.Request.Context(), v.Request.PathValue("secret"),
		app.NewPerson{Name: in.Name, Password: v.Request.PostFormValue("password")})
	if faults, ok := frame.Faults(err); ok {
		in.Faults = faults
		return j.offerPage(v, http.StatusUnprocessableEntity, in)
	}
	if over(v, err) {
		return nil
	}
	if err == nil {
		err = v.Enter(made, user.Password)
	}
	if err != nil {
		return err
	}
	v.Redirect("/w/" + workspace.String() + "/posts")
	return nil
}

// accept makes the signed-in visitor a member.
func (j *joining) accept(v *frame.Visit) error {
	workspace, err := j.app.AcceptInvitation(v.Request.Context(), v.User, v.Request.PathValue("secret"))
	if over(v, err) {
		return nil
	}
	if err != nil {
		return err
	}
	return v.Done("/w/"+workspace.String()+"/posts", "You are a member of the workspace.")
}

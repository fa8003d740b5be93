package account

import (
	"net/http"

	"fencepost.internal/services/console/internal/frame"
	"fencepost.internal/services/internal/app"
	"fencepost.internal/services/internal/authn"
	"fencepost.internal/shared/domain/user"
	"fencepost.internal/shared/kernel/apperr"
	"fencepost.internal/shared/kernel/email"
)

// PathSetup is the path before the secret of the first owner's link.
const PathSetup = "/setup/"

type joining struct{ cfg Config }

// routes returns the pages by which people get in: the set-up of the first owner, and invitations.
func (j *joining) routes() []frame.Route {
	return []frame.Route{
		{Pattern: "GET " + PathSetup + "{secret}", Handle: j.showSetup},
		{Pattern: "POST " + PathSetup + "{secret}", Handle: j.setup},
		{Pattern: "GET " + app.PathInvitations + "{secret}", Handle: j.showOffer},
		{Pattern: "POST " + app.PathInvitations + "{secret}", Handle: j.signUp},
		{Pattern: "POST " + app.PathInvitations + "{secret}/accept", Access: frame.SignedIn, Handle: j.accept},
		{Pattern: "GET " + app.PathInvitations + "{secret}/provider", Handle: j.showThrough},
		{Pattern: "POST " + app.PathInvitations + "{secret}/provider", Handle: j.signUpThrough},
	}
}

// allowed responds if a network has sent too many forms, and reports whether it has not.
func (j *joining) allowed(v *frame.Visit) bool {
	return v.FromPlace(j.cfg.Limiter, "joining", triesPerPlace, "Nothing was changed. Wait a minute, then try again.",
		frame.Link{Text: "Back", Path: v.Request.URL.Path})
}

// form is the data of the pages on which a person signs up.
type form struct {
	Secret                           string
	Email, Name, Workspace, Timezone string
	Faults                           map[string]string
}

func (j *joining) showSetup(v *frame.Visit) error {
	err := j.cfg.App.SetupOpen(v.Request.Context(), v.Request.PathValue("secret"))
	if over(v, err, start()) {
		return nil
	}
	if err != nil {
		return err
	}
	return setupPage(v, http.StatusOK, form{Timezone: "UTC"})
}

func setupPage(v *frame.Visit, status int, in form) error {
	in.Secret = v.Request.PathValue("secret")
	return v.Page(frame.Page{Name: "account/setup", Title: "Welcome", Status: status, Bare: true, Scripts: []string{"zone.js"}, Data: in})
}

func (j *joining) setup(v *frame.Visit) error {
	if !j.allowed(v) {
		return nil
	}
	in := form{
		Email: v.Form("email"), Name: v.Form("name"), Workspace: v.Form("workspace"), Timezone: v.Form("timezone"),
	}
	created, err := j.cfg.App.SetUp(v.Request.Context(), v.Request.PathValue("secret"), app.Setup{
		NewPerson: app.NewPerson{Email: in.Email, Name: in.Name, Password: v.Request.PostFormValue("password")},
		Workspace: in.Workspace, Timezone: in.Timezone,
	})
	if faults, ok := frame.Faults(err); ok {
		in.Faults = faults
		return setupPage(v, http.StatusUnprocessableEntity, in)
	}
	if over(v, err, start()) {
		return nil
	}
	if err == nil {
		err = v.Enter(created, user.Password)
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
	Provider  string // name of the sign-in provider; empty if there is none
	Known     string // address by which the provider knows the person
}

func (j *joining) showOffer(v *frame.Visit) error { return j.offerPage(v, http.StatusOK, form{}) }

func (j *joining) offerPage(v *frame.Visit, status int, in form) error {
	in.Secret = v.Request.PathValue("secret")
	offer, err := j.cfg.App.Offer(v.Request.Context(), in.Secret)
	if over(v, err, start()) {
		return nil
	}
	if err != nil {
		return err
	}
	page := offerPage{
		Offer: offer, form: in, Path: app.PathInvitations + in.Secret, Provider: j.cfg.Security.ProviderName(),
	}
	page.OtherUser = !v.User.ID.IsZero() && !offer.For(v.User.Email)
	if page.Provider != "" {
		v.AllowForms("'self' " + j.cfg.Security.ProviderSources())
	}
	return v.Page(frame.Page{
		Name: "account/offer", Title: "Invitation to " + offer.Workspace.Name, Status: status, Bare: true, Data: page,
	})
}

// signUp creates a user for the address of the invitation.
func (j *joining) signUp(v *frame.Visit) error {
	if !j.allowed(v) {
		return nil
	}
	in := form{Name: v.Form("name")}
	created, workspace, err := j.cfg.App.SignUp(v.Request.Context(), v.Request.PathValue("secret"),
		app.NewPerson{Name: in.Name, Password: v.Request.PostFormValue("password")})
	if faults, ok := frame.Faults(err); ok {
		in.Faults = faults
		return j.offerPage(v, http.StatusUnprocessableEntity, in)
	}
	if over(v, err, start()) {
		return nil
	}
	if err == nil {
		err = v.Enter(created, user.Password)
	}
	if err != nil {
		return err
	}
	v.Redirect("/w/" + workspace.String() + "/posts")
	return nil
}

// waits returns the invitation, and the account with which the provider sent the browser back. It responds if one of them is
// missing.
func (j *joining) waits(v *frame.Visit) (page offerPage, i authn.Identity, ok bool, err error) {
	page.Secret = v.Request.PathValue("secret")
	page.Path, page.Provider = app.PathInvitations+page.Secret, j.cfg.Security.ProviderName()
	page.Offer, err = j.cfg.App.Offer(v.Request.Context(), page.Secret)
	if over(v, err, start()) {
		return page, i, false, nil
	}
	if err != nil {
		return page, i, false, err
	}
	session, err := v.SessionHash()
	if err != nil {
		return page, i, false, err
	}
	i, err = j.cfg.Security.SigningUp(v.Request.Context(), session)
	if apperr.Is(err, apperr.NotFound) {
		v.Redirect(page.Path) // it took too long, or the person never went there
		return page, i, false, nil
	}
	page.Known, page.Name = i.Email, i.Name
	return page, i, err == nil, err
}

// showThrough shows a person whom the provider has sent back what is missing to join.
func (j *joining) showThrough(v *frame.Visit) error {
	page, _, ok, err := j.waits(v)
	if !ok {
		return err
	}
	return throughPage(v, http.StatusOK, page)
}

func throughPage(v *frame.Visit, status int, page offerPage) error {
	page.OtherUser = !page.For(email.Address(page.Known))
	return v.Page(frame.Page{
		Name: "account/through", Title: "Join " + page.Offer.Workspace.Name, Status: status, Bare: true, Data: page,
	})
}

// signUpThrough creates a user who signs in through the provider.
func (j *joining) signUpThrough(v *frame.Visit) error {
	page, i, ok, err := j.waits(v)
	if !ok {
		return err
	}
	page.Name = v.Form("name")
	created, workspace, err := j.cfg.App.SignUpThrough(v.Request.Context(), page.Secret, page.Name, i)
	if faults, ok := frame.Faults(err); ok {
		page.Faults = faults
		return throughPage(v, http.StatusUnprocessableEntity, page)
	}
	if over(v, err, start()) {
		return nil
	}
	if err == nil {
		err = v.Enter(created, user.Provider)
	}
	if err != nil {
		return err
	}
	v.Redirect("/w/" + workspace.String() + "/posts")
	return nil
}

// accept makes the signed-in visitor a member.
func (j *joining) accept(v *frame.Visit) error {
	workspace, err := j.cfg.App.AcceptInvitation(v.Request.Context(), v.User, v.Request.PathValue("secret"))
	if over(v, err, start()) {
		return nil
	}
	if err != nil {
		return err
	}
	return v.Done("/w/"+workspace.String()+"/posts", "You joined the workspace.")
}

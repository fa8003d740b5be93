package extension

import (
	"net/http"
	"net/url"

	"fencepost.internal/services/console/internal/frame"
	"fencepost.internal/shared/domain/credential"
)

// PathCapture is the address that the extension opens. What it captured is behind the #, which the server does not receive:
// the page's script keeps it in the window, also across sign-in, and fills the form of a new lead with it.
const PathCapture = "/leads/capture"

// place is a workspace in which the visitor may save leads.
type place struct{ Name, Href string }

func capture(v *frame.Visit) error {
	data := struct {
		SignIn string
		Places []place
		Only   bool
	}{SignIn: frame.PathSignIn + "?" + url.Values{"next": {PathCapture}}.Encode()}
	memberships, err := v.Memberships()
	if err != nil {
		return err
	}
	for _, m := range memberships {
		if m.Role.Allows(credential.LeadsManage) {
			data.Places = append(data.Places, place{m.Workspace.Name, "/w/" + m.Workspace.ID.String() + "/leads/new?from=extension#captured"})
		}
	}
	data.Only = len(data.Places) == 1
	return v.Page(frame.Page{
		Name: "extension/capture", Title: "Save the lead", Status: http.StatusOK, Bare: true, Scripts: []string{"capture.js"}, Data: data,
	})
}

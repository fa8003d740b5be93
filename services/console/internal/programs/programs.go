// Package programs serves the pages on the access of programs: the one on which a user decides about it, and the list of
// programs that have it. It describes access in plain words.
package programs

import (
	"embed"
	"slices"

	"fencepost.internal/services/console/internal/frame"
	"fencepost.internal/services/console/internal/settings"
	"fencepost.internal/services/internal/authserver"
	"fencepost.internal/shared/domain/credential"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/infra/ratelimit"
	"fencepost.internal/shared/kernel/clock"
	"fencepost.internal/shared/kernel/ident"
)

//go:embed templates
var templates embed.FS

type programs struct {
	grants *postgres.Grants
	clock  clock.Clock
}

// Feature returns the pages: the decision, and a tab of the settings, which is also at an address without a workspace.
func Feature(
	grants *postgres.Grants, authorizations *authserver.Server, limiter *ratelimit.Limiter, toolsURL string, clk clock.Clock,
) frame.Feature {
	p := &programs{grants: grants, clock: clk}
	c := &consent{authorizations: authorizations, toolsURL: toolsURL}
	d := &device{consent: c, limiter: limiter}
	return frame.Feature{Name: "programs", Templates: templates, Routes: append(append(c.routes(), d.routes()...), []frame.Route{
		{Pattern: "GET /programs", Access: frame.SignedIn, Handle: p.show},
		{Pattern: "GET /w/{workspace}/settings/programs", Access: frame.Members, Handle: p.tab},
		{Pattern: "POST /programs/{id}/revoke", Access: frame.SignedIn, Handle: p.revoke},
	}...)}
}

// program is a program with access.
type program struct {
	Grant       ident.Grant
	Name        string
	Host        string
	Workspace   string
	Since       string
	Permissions []Permission
	Requests    string // path of its log of requests; empty: not for the visitor
}

// show is the tab of the user's first workspace, for links that name none.
func (p *programs) show(v *frame.Visit) error {
	memberships, err := v.Memberships()
	if err == nil && len(memberships) > 0 {
		err = v.Within(memberships[0].Workspace.ID)
	}
	if err != nil {
		return err
	}
	return p.tab(v)
}

// tab lists the grants of the user in every workspace.
func (p *programs) tab(v *frame.Visit) error {
	allowed, err := p.grants.Allowed(v.Request.Context(), v.User.ID, p.clock.Now())
	if err != nil {
		return err
	}
	memberships, err := v.Memberships()
	if err != nil {
		return err
	}
	list := make([]program, len(allowed))
	for i, a := range allowed {
		list[i] = program{
			Grant: a.Grant.ID, Name: a.Client.Title(), Host: a.Client.Host(), Workspace: a.Workspace,
			Since: a.Grant.CreatedAt.Format("2 January 2006"), Permissions: Describe(a.Grant.Scopes),
		}
		sees := slices.ContainsFunc(memberships, func(m postgres.Membership) bool {
			return m.Workspace.ID == a.Grant.WorkspaceID && m.Role.Allows(credential.KeysManage)
		})
		if sees {
			list[i].Requests = "/w/" + a.Grant.WorkspaceID.String() + "/developers/requests?credential=" + a.Grant.ID.String()
		}
	}
	return v.Page(frame.Page{
		Name: "programs/programs", Title: "Programs", Bare: v.Workspace.ID.IsZero(), Tabs: settings.Tabs("Programs"), Data: list,
	})
}

// revoke revokes a grant of the user.
func (p *programs) revoke(v *frame.Visit) error {
	id, err := frame.PathID(v, "id", ident.Parse[ident.Grant])
	if err == nil {
		err = p.grants.TakeBack(v.Request.Context(), v.User.ID, id, p.clock.Now())
	}
	if err != nil {
		return err
	}
	return v.Done("/programs", "Access revoked.")
}

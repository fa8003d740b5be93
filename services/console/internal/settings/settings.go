// Package settings serves the pages about the workspace, its members, and the visitor's own profile.
package settings

import (
	"cmp"
	"embed"
	"html/template"
	"net/http"
	"slices"
	"strconv"
	"time"

	"fencepost.internal/services/console/internal/frame"
	"fencepost.internal/services/console/internal/pictures"
	"fencepost.internal/services/console/internal/signin"
	"fencepost.internal/services/internal/app"
	"fencepost.internal/shared/domain/credential"
	"fencepost.internal/shared/domain/media"
	"fencepost.internal/shared/domain/workspace"
	"fencepost.internal/shared/kernel/clock"
)

//go:embed templates
var templates embed.FS

type settings struct {
	app       *app.App
	networks  *app.Applications
	passwords *signin.Passwords
	security  *app.Security
	appURL    string
	clock     clock.Clock
}

// Feature returns the pages.
func Feature(
	a *app.App, networks *app.Applications, passwords *signin.Passwords, security *app.Security, appURL string,
	clk clock.Clock,
) frame.Feature {
	s := &settings{app: a, networks: networks, passwords: passwords, security: security, appURL: appURL, clock: clk}
	route := func(needs credential.Permission, pattern string, handle func(*frame.Visit) error) frame.Route {
		return frame.Route{Pattern: pattern, Access: frame.Members, Needs: needs, Handle: handle}
	}
	live := func(needs credential.Permission, pattern string, handle func(*frame.Visit) error) frame.Route {
		r := route(needs, pattern, handle)
		r.Live = true
		return r
	}
	slow := func(r frame.Route) frame.Route {
		r.Slow = true
		return r
	}
	const members, connect, publish = credential.MembersManage, credential.ChannelsConnect, credential.PostsPublish
	return frame.Feature{
		Name: "settings", Templates: templates, Functions: template.FuncMap{"checkIcon": checkIcon, "usesinwords": usesInWords},
		Section: &frame.Section{Title: "Settings", Path: "/settings", Icon: "settings", Key: "s"}, Tabs: Tabs("")[1:],
		Routes: append([]frame.Route{
			route("", "GET /w/{workspace}/settings", s.workspace),
			route(credential.WorkspaceManage, "POST /w/{workspace}/settings", s.changeWorkspace),
			route(credential.WorkspaceManage, "GET /w/{workspace}/settings/logo", s.logo),
			{
				Pattern: "POST /w/{workspace}/settings/logo", Access: frame.Members, Needs: credential.WorkspaceManage,
				MaxForm: pictures.MaxForm, Handle: s.changeLogo,
			},
			live("", "GET /w/{workspace}/settings/members", s.members),
			live(members, "POST /w/{workspace}/settings/members/{user}/role", s.changeRole),
			live(members, "GET /w/{workspace}/settings/members/{user}/channels", s.memberChannels),
			live(members, "POST /w/{workspace}/settings/members/{user}/channels", s.limitMember),
			live("", "POST /w/{workspace}/settings/members/{user}/remove", s.removeMember),
			live(members, "POST /w/{workspace}/settings/invitations", s.invite),
			live(members, "POST /w/{workspace}/settings/invitations/{invitation}/revoke", s.revokeInvitation),
			live(connect, "GET /w/{workspace}/settings/networks", s.applications),
			live(connect, "POST /w/{workspace}/settings/networks/{application}", s.setApplication),
			live(connect, "POST /w/{workspace}/settings/networks/{application}/remove", s.removeApplication),
			slow(live(connect, "POST /w/{workspace}/settings/networks/{application}/check", s.checkApplication)),
			route("", "GET /w/{workspace}/settings/labels", s.labels),
			route(publish, "POST /w/{workspace}/settings/labels", s.addLabel),
			route(publish, "GET /w/{workspace}/settings/labels/edit", s.label),
			route(publish, "POST /w/{workspace}/settings/labels/change", s.changeLabel),
			route(publish, "POST /w/{workspace}/settings/labels/merge", s.mergeLabel),
			route(publish, "POST /w/{workspace}/settings/labels/delete", s.deleteLabel),
			live(credential.WorkspaceManage, "GET /w/{workspace}/settings/approvals", s.approvals),
			live(credential.WorkspaceManage, "POST /w/{workspace}/settings/approvals", s.setApproval),
			route(credential.AuditRead, "GET /w/{workspace}/settings/audit", s.auditLog),
			route(credential.AuditRead, "GET /w/{workspace}/settings/audit.csv", s.auditCSV),
			route("", "GET /w/{workspace}/settings/profile", s.profile),
			route("", "POST /w/{workspace}/settings/profile", s.rename),
			route("", "POST /w/{workspace}/settings/profile/password", s.changePassword),
			route("", "POST /w/{workspace}/settings/profile/email", s.changeAddress),
			route("", "POST /w/{workspace}/settings/profile/email/cancel", s.cancelAddress),
			route("", "POST /w/{workspace}/settings/profile/shortcuts", s.setShortcuts),
			route("", "POST /w/{workspace}/settings/profile/sessions/{session}/end", s.endSession),
			route("", "POST /w/{workspace}/settings/profile/other-sessions", s.endOtherSessions),
		}, slices.Concat(s.deleteRoutes(), s.securityRoutes(), s.textRoutes(), s.noticeRoutes())...),
	}
}

// Tabs returns the second level of the navigation.
func Tabs(current string) []frame.Tab {
	list := []frame.Tab{
		{Title: "Workspace", Path: "/settings"},
		{Title: "Members", Path: "/settings/members", Live: true},
		{Title: "Networks", Path: "/settings/networks", Needs: credential.ChannelsConnect, Live: true},
		{Title: "Approvals", Path: pathApprovals, Needs: credential.WorkspaceManage, Live: true},
		{Title: "Labels", Path: pathLabels},
		{Title: "Texts", Path: pathTexts},
		{Title: "Inbox", Path: "/settings/inbox", Needs: credential.InboxRead},
		{Title: "Audit log", Path: "/settings/audit", Needs: credential.AuditRead},
		{Title: "My profile", Path: "/settings/profile"},
		{Title: "Notifications", Path: pathNotices},
		{Title: "Security", Path: pathSecurity},
		{Title: "Programs", Path: "/settings/programs"},
	}
	for i := range list {
		list[i].Current = list[i].Title == current
	}
	return list
}

// gauge is a quota with its usage.
type gauge struct {
	Name, Used, Limit string
	Value             int // percent
}

// workspacePage is the data of the workspace's page.
type workspacePage struct {
	Name, Timezone string
	Hold           string // hours
	AltTexts       workspace.AltTextRule
	Color          string
	Faults         map[string]string
	State          app.WorkspaceState
	Gauges         []gauge
	Logo           []app.DeliveredAsset
	Requests       int
	ResetDay       string
}

// hours returns a duration as a number of hours.
func hours(d time.Duration) string { return strconv.FormatFloat(d.Hours(), 'f', -1, 64) }

// parseHours returns a number of hours as a duration in whole seconds; -1 for another text, and for a number out of
// range.
func parseHours(text string) time.Duration {
	parsed, err := strconv.ParseFloat(text, 64)
	if err != nil || !(parsed >= 0 && parsed <= workspace.LongestReconnectHold.Hours()) {
		return -1
	}
	return time.Duration(parsed * float64(time.Hour)).Round(time.Second)
}

func (s *settings) workspace(v *frame.Visit) error {
	return s.workspacePage(v, http.StatusOK, workspacePage{
		Name: v.Workspace.Name, Timezone: v.Workspace.Timezone, Hold: hours(v.Workspace.ReconnectHold),
		AltTexts: v.Workspace.AltTexts, Color: v.Workspace.Color,
	})
}

func (s *settings) workspacePage(v *frame.Visit, status int, page workspacePage) error {
	state, err := s.app.Workspace(v.Request.Context(), v.Principal)
	if err != nil {
		return err
	}
	if page.Logo, err = s.app.Pictures(v.Request.Context(), v.Principal, logo().Use); err != nil {
		return err
	}
	limits := state.Plan.Limits()
	page.State, page.Requests = state, limits.RequestsPerMinute
	page.ResetDay = state.Usage.UploadsResetAt.In(v.Zone()).Format("2 January")
	count := func(name string, used, limit int64) gauge {
		return gauge{name, strconv.FormatInt(used, 10), strconv.FormatInt(limit, 10), percent(used, limit)}
	}
	page.Gauges = []gauge{
		{
			"Storage", workspace.Bytes(state.Usage.StorageBytes), workspace.Bytes(limits.Storage),
			percent(state.Usage.StorageBytes, limits.Storage),
		},
		count("Uploads this month", state.Usage.Uploads, limits.MonthlyUploads),
		count("Webhooks", int64(state.Usage.Webhooks), int64(limits.Webhooks)),
		count("Link pages", int64(state.Usage.LinkPages), int64(limits.LinkPages)),
	}
	return v.Page(frame.Page{
		Name: "settings/workspace", Title: "Settings", Status: status, Tabs: Tabs("Workspace"), Scripts: []string{"zone.js"}, Data: page,
	})
}

func percent(used, limit int64) int {
	if limit <= 0 {
		return 0
	}
	return int(min(100, used*100/limit))
}

func (s *settings) changeWorkspace(v *frame.Visit) error {
	page := workspacePage{
		Name: v.Form("name"), Timezone: v.Form("timezone"), Hold: v.Form("hold"),
		AltTexts: workspace.AltTextRule(cmp.Or(v.Form("altTexts"), string(v.Workspace.AltTexts))), Color: v.Form("color"),
	}
	err := s.app.ChangeWorkspace(v.Request.Context(), v.Principal, app.WorkspaceSettings{
		Name: page.Name, Timezone: page.Timezone, ReconnectHold: parseHours(page.Hold),
		AltTexts: page.AltTexts, Color: page.Color,
	})
	if faults, ok := frame.Faults(err); ok {
		page.Faults = faults
		return s.workspacePage(v, http.StatusUnprocessableEntity, page)
	}
	if err != nil {
		return err
	}
	return v.Done(v.Path("/settings"), "Saved.")
}

// logo is the place of the workspace's logo.
func logo() pictures.Place {
	return pictures.Place{
		Use: app.PictureUse{Type: media.OwnerWorkspaceLogo}, Title: "Workspace logo",
		Hint: "Shown beside the workspace’s name, also to clients.", Path: "/settings/logo",
		Back: frame.Link{Text: "Settings", Path: "/settings"},
	}
}

func (s *settings) logo(v *frame.Visit) error { return pictures.Show(v, s.app, logo()) }

func (s *settings) changeLogo(v *frame.Visit) error { return pictures.Save(v, s.app, logo()) }

// Package leads serves the pages of potential customers: the pipeline, the list, and each of them.
package leads

import (
	"embed"

	"fencepost.internal/services/console/internal/frame"
	"fencepost.internal/services/console/internal/suggest"
	"fencepost.internal/services/internal/app"
	"fencepost.internal/shared/domain/credential"
	"fencepost.internal/shared/domain/lead"
	"fencepost.internal/shared/domain/plan"
)

//go:embed templates
var templates embed.FS

const path = "/leads"

type pages struct {
	app   *app.App
	desk  *app.LeadDesk
	agent *app.LeadAgent
}

// Feature returns the pages.
func Feature(a *app.App, desk *app.LeadDesk, agent *app.LeadAgent) frame.Feature {
	p := &pages{app: a, desk: desk, agent: agent}
	route := func(needs credential.Permission, pattern string, handle func(*frame.Visit) error) frame.Route {
		return frame.Route{Pattern: pattern, Access: frame.Members, Needs: needs, Handle: handle}
	}
	const read, manage, all, one = credential.LeadsRead, credential.LeadsManage, "/w/{workspace}/leads", "/w/{workspace}/leads/{lead}"
	const suggestion, file = all + "/suggestions/{suggestion}", "/w/{workspace}/leadimports/{leadimport}"
	upload := route(manage, "POST "+all+"/import", p.upload)
	upload.MaxForm = plan.MaxFile + formSpace
	return frame.Feature{
		Name: "leads", Templates: templates,
		Section: &frame.Section{Title: "Leads", Path: path, Icon: "contact-round", Key: "e", Group: "Audience", Needs: read, Also: "/people"},
		Tabs: []frame.Tab{
			{Title: "List of leads", Path: path + "/list", Needs: read},
			{Title: "People", Path: "/people", Needs: credential.InboxRead},
			{Title: "Import leads", Path: path + "/import", Needs: manage},
			{Title: "Suggested leads", Path: path + "/suggestions", Needs: credential.InboxRead},
			{Title: "Sales Lead agent", Path: path + "/agent", Needs: manage},
		},
		Routes: []frame.Route{
			route(read, "GET "+all, p.board),
			route(read, "GET "+all+"/list", p.list),
			route(read, "GET "+all+"/export", p.export),
			route(manage, "GET "+all+"/new", p.blank),
			route(manage, "POST "+all, p.create),
			route(manage, "GET "+all+"/import", p.file),
			upload,
			route(manage, "GET "+file, p.preview),
			route(manage, "POST "+file, p.run),
			route(manage, "GET "+all+"/agent", p.settings),
			route(manage, "POST "+all+"/agent", p.set),
			route(credential.InboxRead, "GET "+all+"/suggestions", p.suggested),
			route(manage, "POST "+suggestion+"/accept", p.accept),
			route(manage, "POST "+suggestion+"/reject", p.reject),
			route(manage, "POST "+suggestion+"/never", p.never),
			route(read, "GET "+one, p.show),
			route(manage, "POST "+one, p.edit),
			route(manage, "GET "+one+"/move", p.moving),
			route(manage, "POST "+one+"/move", p.move),
			route(manage, "POST "+one+"/note", p.note),
			route(manage, "POST "+one+"/delete", p.remove),
		},
	}
}

// formSpace is the size of a form with a file, beside the file.
const formSpace = 64 << 10

// page responds with a page of leads.
func page(v *frame.Visit, status int, name, title string, data any) error {
	return v.Page(frame.Page{
		Name: "leads/" + name, Title: title, Status: status, Wide: true, Styles: []string{"board.css", "leads.css", suggest.Style},
		Scripts: []string{"board.js", "leads.js", "capture.js"}, Data: data,
	})
}

// option is a choice of a form.
type option struct{ Value, Text string }

func stages() []option {
	list := make([]option, 0, len(lead.Stages()))
	for _, s := range lead.Stages() {
		list = append(list, option{string(s), frame.Words(s)})
	}
	return list
}

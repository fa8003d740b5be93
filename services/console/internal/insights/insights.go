// Package insights serves the pages of analytics: figures over time, the best posts, the best times, and monthly reports.
package insights

import (
	"embed"
	"html/template"
	"net/http"
	"strings"

	"fencepost.internal/services/console/internal/frame"
	"fencepost.internal/services/console/internal/poststate"
	"fencepost.internal/services/internal/app"
	"fencepost.internal/shared/domain/credential"
)

//go:embed templates
var templates embed.FS

const (
	path       = "/analytics"
	pathReport = path + "/reports"
)

type pages struct {
	app     *app.App
	figures *app.Figures
}

// Feature returns the pages.
func Feature(a *app.App, figures *app.Figures) frame.Feature {
	p := &pages{app: a, figures: figures}
	route := func(needs credential.Permission, pattern string, handle func(*frame.Visit) error) frame.Route {
		return frame.Route{Pattern: pattern, Access: frame.Members, Needs: needs, Handle: handle}
	}
	const read, within = credential.AnalyticsRead, "/w/{workspace}" + path
	return frame.Feature{
		Name: "insights", Templates: templates, Functions: template.FuncMap{"sprite": poststate.Sprite},
		Section: &frame.Section{Title: "Analytics", Path: path, Icon: "chart-no-axes-column", Key: "y", Group: "Audience", Needs: read},
		Tabs:    []frame.Tab{{Title: "Monthly report", Path: pathReport, Needs: read}},
		Routes: []frame.Route{
			route(read, "GET "+within, p.show),
			route(read, "GET "+within+"/export", p.export),
			route(read, "GET "+within+"/reports", p.reports),
			route(read, "GET "+within+"/reports/download", p.download),
			route(credential.WorkspaceManage, "POST "+within+"/reports", p.setReport),
			{Pattern: "GET /reports/{token}", Access: frame.Outside, Handle: p.link},
			{Pattern: "POST /reports/{token}", Access: frame.Outside, Handle: p.stop},
		},
	}
}

// page responds with a page of the section.
func page(v *frame.Visit, status int, name, title string, data any) error {
	return v.Page(frame.Page{
		Name: "insights/" + name, Title: title, Status: status, Wide: true, Styles: []string{"insights.css"}, Data: data,
	})
}

func (p *pages) show(v *frame.Visit) error {
	q, err := p.queryOf(v)
	if err != nil {
		return err
	}
	data := showPage{query: q}
	if len(q.Faults) == 0 {
		found, err := p.figures.Overview(v.Request.Context(), v.Principal, q.of())
		faults, refused := frame.Faults(err)
		if err != nil && !refused {
			return err
		}
		if data.Faults = ofForm(faults); !refused {
			data.fill(v, q, found)
		}
	}
	status := http.StatusOK
	if len(data.Faults) > 0 {
		status = http.StatusUnprocessableEntity
	}
	return page(v, status, "show", "Analytics", &data)
}

// ofForm returns the faults of a range with the names that its form has for the days.
func ofForm(faults map[string]string) map[string]string {
	for name, text := range faults {
		faults[name] = strings.NewReplacer("before from.", "before the first day.", "days of to:", "days of the last day:").Replace(text)
	}
	return faults
}

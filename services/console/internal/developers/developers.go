// Package developers serves the pages for programs: API keys, their requests, webhooks with their deliveries, and the
// event log.
package developers

import (
	"embed"
	"html/template"
	"net/http"

	"fencepost.internal/services/console/internal/frame"
	"fencepost.internal/services/internal/app"
	"fencepost.internal/shared/domain/credential"
	"fencepost.internal/shared/kernel/clock"
)

//go:embed templates
var templates embed.FS

type developers struct {
	app     *app.App
	clock   clock.Clock
	baseURL string // of the API
}

// Feature returns the pages.
func Feature(a *app.App, clk clock.Clock, baseURL string) frame.Feature {
	d := &developers{app: a, clock: clk, baseURL: baseURL}
	route := func(needs credential.Permission, pattern string, handle func(*frame.Visit) error) frame.Route {
		return frame.Route{Pattern: pattern, Access: frame.Members, Needs: needs, Handle: handle}
	}
	const keys, hooks = credential.KeysManage, credential.WebhooksManage
	return frame.Feature{
		Name: "developers", Templates: templates,
		Functions: template.FuncMap{"docs": func() string { return baseURL + "/docs" }, "statusText": http.StatusText},
		Section:   &frame.Section{Title: "Developers", Path: "/developers", Icon: "code", Key: "d", Needs: credential.WebhooksManage}, Tabs: tabs(""),
		Routes: []frame.Route{
			route(hooks, "GET /w/{workspace}/developers", d.start),
			route(keys, "GET /w/{workspace}/developers/keys", d.keys),
			route(keys, "POST /w/{workspace}/developers/keys", d.createKey),
			route(keys, "POST /w/{workspace}/developers/keys/{key}/revoke", d.revokeKey),
			route(keys, "GET /w/{workspace}/developers/requests", d.requests),
			route(hooks, "GET /w/{workspace}/developers/webhooks", d.webhooks),
			route(hooks, "POST /w/{workspace}/developers/webhooks", d.createWebhook),
			route(hooks, "GET /w/{workspace}/developers/webhooks/{webhook}", d.webhook),
			route(hooks, "POST /w/{workspace}/developers/webhooks/{webhook}", d.changeWebhook),
			route(hooks, "POST /w/{workspace}/developers/webhooks/{webhook}/rotate", d.rotateSecret),
			route(hooks, "POST /w/{workspace}/developers/webhooks/{webhook}/test", d.testWebhook),
			route(hooks, "POST /w/{workspace}/developers/webhooks/{webhook}/active", d.switchWebhook),
			route(hooks, "POST /w/{workspace}/developers/webhooks/{webhook}/delete", d.deleteWebhook),
			route(hooks, "POST /w/{workspace}/developers/webhooks/{webhook}/replay", d.replay),
			route(hooks, "GET /w/{workspace}/developers/webhooks/{webhook}/deliveries/{delivery}", d.delivery),
			route(hooks, "POST /w/{workspace}/developers/webhooks/{webhook}/deliveries/{delivery}/redeliver", d.redeliver),
			route(hooks, "GET /w/{workspace}/developers/events", d.events),
			route(hooks, "GET /w/{workspace}/developers/events/{event}", d.event),
		},
	}
}

// tabs returns the second level of the navigation.
func tabs(current string) []frame.Tab {
	list := []frame.Tab{
		{Title: "API keys", Path: "/developers/keys", Needs: credential.KeysManage},
		{Title: "Requests", Path: "/developers/requests", Needs: credential.KeysManage},
		{Title: "Webhooks", Path: "/developers/webhooks", Needs: credential.WebhooksManage},
		{Title: "Events", Path: "/developers/events", Needs: credential.WebhooksManage},
	}
	for i := range list {
		list[i].Current = list[i].Title == current
	}
	return list
}

// start leads to the first page that the visitor may open.
func (d *developers) start(v *frame.Visit) error {
	for _, tab := range tabs("") {
		if tab.Needs == "" || v.Principal.Allows(tab.Needs) {
			v.Redirect(v.Path(tab.Path))
			return nil
		}
	}
	return nil
}

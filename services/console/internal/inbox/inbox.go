// Package inbox serves the pages of conversations: what people write to the accounts of a workspace, and the answers.
package inbox

import (
	"embed"

	"fencepost.internal/services/console/internal/frame"
	"fencepost.internal/services/internal/app"
	"fencepost.internal/shared/domain/credential"
	"fencepost.internal/shared/infra/postgres"
)

//go:embed templates
var templates embed.FS

const path = "/inbox"

type pages struct {
	app   *app.App
	inbox *app.Inbox
	leads *app.LeadDesk
	agent *app.LeadAgent
}

// Feature returns the pages.
func Feature(a *app.App, inbox *app.Inbox, leads *app.LeadDesk, agent *app.LeadAgent) frame.Feature {
	p := &pages{app: a, inbox: inbox, leads: leads, agent: agent}
	route := func(needs credential.Permission, pattern string, handle func(*frame.Visit) error) frame.Route {
		return frame.Route{Pattern: pattern, Access: frame.Members, Needs: needs, Handle: handle}
	}
	slow := func(r frame.Route) frame.Route { // it calls a network
		r.Slow = true
		return r
	}
	const read, reply, one = credential.InboxRead, credential.InboxReply, "/w/{workspace}/inbox/{conversation}"
	return frame.Feature{
		Name: "inbox", Templates: templates,
		Section: &frame.Section{
			Title: "Inbox", Path: path, Icon: "inbox", Key: "i", Group: "Audience", Needs: read, Thumb: true, Counts: counts,
		},
		Routes: []frame.Route{
			route(read, "GET /w/{workspace}/inbox", p.list),
			route(read, "GET "+one, p.show),
			route(reply, "POST "+one+"/reply", p.reply),
			route(read, "POST "+one+"/note", p.note),
			route(reply, "POST "+one+"/again", p.again),
			slow(route(reply, "GET "+one+"/templates", p.chooses)),
			slow(route(reply, "POST "+one+"/template", p.sendsTemplate)),
			route(read, "POST "+one+"/assign", p.assign),
			route(read, "POST "+one+"/snooze", p.snooze),
			route(read, "POST "+one+"/state", p.put),
			route(reply, "POST "+one+"/claim", p.claim),
			slow(route(reply, "POST "+one+"/moderate", p.moderate)),
			route(read, "GET "+one+"/files/{message}", p.file),
		},
	}
}

// counts returns the conversations in which a person waits.
func counts(waiting postgres.Attention, _ app.Principal) []frame.Count {
	return []frame.Count{{N: waiting.Unanswered, Tone: "person", What: "unanswered"}}
}

// Package posts serves the list of posts and the page of a post.
package posts

import (
	"embed"
	"html/template"

	"fencepost.internal/services/console/internal/frame"
	"fencepost.internal/services/console/internal/poststate"
	"fencepost.internal/services/internal/app"
	"fencepost.internal/shared/domain/credential"
	"fencepost.internal/shared/infra/postgres"
)

//go:embed templates
var templates embed.FS

type posts struct {
	app   *app.App
	live  *app.Live
	inbox *app.Inbox
}

// Feature returns the pages.
func Feature(a *app.App, live *app.Live, conversations *app.Inbox) frame.Feature {
	p := &posts{app: a, live: live, inbox: conversations}
	member := func(pattern string, needs credential.Permission, handle func(*frame.Visit) error) frame.Route {
		return frame.Route{Pattern: pattern, Access: frame.Members, Needs: needs, Handle: handle}
	}
	return frame.Feature{
		Name: "posts", Templates: templates, Functions: template.FuncMap{"sprite": poststate.Sprite, "units": units, "span": span},
		Section: &frame.Section{Title: "Posts", Path: "/posts", Icon: "send", Key: "p", Group: "Publish", Thumb: true, Counts: counts},
		Routes: []frame.Route{
			member("GET /w/{workspace}/posts", "", p.list),
			member("POST /w/{workspace}/posts/selected", credential.PostsWrite, p.actOnSelected),
			member("POST /w/{workspace}/posts/undo", credential.PostsWrite, p.takeBack),
			member("GET /w/{workspace}/posts/{post}", "", p.show),
			member("POST /w/{workspace}/posts/{post}/edit", credential.PostsWrite, p.edit),
			member("POST /w/{workspace}/posts/{post}/schedule", credential.PostsPublish, p.schedule),
			member("POST /w/{workspace}/posts/{post}/archive", credential.PostsArchive, p.act(archive)),
			member("POST /w/{workspace}/posts/{post}/unarchive", credential.PostsArchive, p.act(unarchive)),
			member("POST /w/{workspace}/posts/{post}/publish", credential.PostsPublish, p.publish),
			member("POST /w/{workspace}/posts/{post}/unschedule", credential.PostsPublish, p.act(unschedule)),
			member("GET /w/{workspace}/posts/{post}/chain", credential.PostsWrite, p.chain),
			member("POST /w/{workspace}/posts/{post}/chain", credential.PostsWrite, p.saveChain),
			member("POST /w/{workspace}/posts/{post}/continue", credential.PostsPublish, p.continueParts),
			member("POST /w/{workspace}/posts/{post}/free", credential.PostsPublish, p.act(free)),
			member("POST /w/{workspace}/posts/{post}/request-approval", credential.PostsWrite, p.act(requestApproval)),
			member("POST /w/{workspace}/posts/{post}/approve", credential.PostsApprove, p.decidePost(true, "Post approved.")),
			member("POST /w/{workspace}/posts/{post}/reject", credential.PostsApprove, p.decidePost(false, "Changes requested.")),
			member("POST /w/{workspace}/posts/{post}/comment", credential.PostsWrite, p.comment),
			member("POST /w/{workspace}/posts/{post}/delete", credential.PostsWrite, p.remove),
			member("POST /w/{workspace}/posts/{post}/edit-live", credential.PostsPublish, p.editLive),
			member("POST /w/{workspace}/posts/{post}/delete-live", credential.PostsPublish, p.deleteLive),
			member("GET /w/{workspace}/publishing", credential.PostsPublish, p.publishing),
			member("POST /w/{workspace}/publishing/stop", credential.PostsPublish, p.stop),
			member("POST /w/{workspace}/publishing/resume", credential.PostsPublish, p.resume),
		},
	}
}

// counts returns the posts that wait for a visitor. Those to approve have a page of their own.
func counts(waiting postgres.Attention, _ app.Principal) []frame.Count {
	return []frame.Count{{N: waiting.Failed, Tone: "stopped", What: "failed"}}
}

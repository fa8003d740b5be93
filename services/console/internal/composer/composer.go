// Package composer serves the page on which people write posts for one or several channels.
//
// The page is one form. While a person types, its module sends the whole form to be kept as a scratch and examined, and
// shows the answer: counters, findings, times. Every rule is in shared/platform/rules; the module knows none.
package composer

import (
	"embed"
	"html/template"
	"slices"

	"fencepost.internal/services/console/internal/frame"
	"fencepost.internal/services/console/internal/options"
	"fencepost.internal/services/console/internal/poststate"
	"fencepost.internal/services/console/internal/preview"
	"fencepost.internal/services/internal/app"
	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/credential"
	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/kernel/ident"
)

//go:embed templates
var templates embed.FS

const (
	path = "/compose"
	// maxForm leaves room for the longest text of each of some twenty channels.
	maxForm = 1 << 20
)

type composer struct{ app *app.App }

// Feature returns the pages.
func Feature(a *app.App) frame.Feature {
	c := &composer{app: a}
	return frame.Feature{
		Name: "composer", Templates: templates, Functions: template.FuncMap{"sprite": poststate.Sprite},
		Routes: append(c.insertRoutes(), []frame.Route{
			{Pattern: "GET /w/{workspace}/compose", Access: frame.Members, Needs: credential.PostsWrite, Handle: c.show},
			{Pattern: "GET /w/{workspace}/compose/newer", Access: frame.Members, Needs: credential.PostsWrite, Handle: c.newer},
			{
				Pattern: "POST /w/{workspace}/compose", Access: frame.Members, Needs: credential.PostsWrite, MaxForm: maxForm, Handle: c.send,
			},
			{
				Pattern: "POST /w/{workspace}/compose/save", Access: frame.Members, Needs: credential.PostsWrite, MaxForm: maxForm, Handle: c.save,
			},
			{
				Pattern: "POST /w/{workspace}/compose/options", Access: frame.Members, Needs: credential.PostsWrite, MaxForm: maxForm, Slow: true,
				Handle: c.options,
			},
			{
				Pattern: "POST /w/{workspace}/compose/parts", Access: frame.Members, Needs: credential.PostsWrite, MaxForm: maxForm, Handle: c.arrangement,
			},
			{
				Pattern: "POST /w/{workspace}/compose/discard", Access: frame.Members, Needs: credential.PostsWrite, Handle: c.discard,
			},
			{
				Pattern: "POST /w/{workspace}/posts/{post}/copy", Access: frame.Members, Needs: credential.PostsWrite, Handle: c.copying,
			},
		}...),
	}
}

// page is the data of the composer.
type page struct {
	look

	Labels     []post.Label // of the workspace
	Scratch    ident.Scratch
	Version    int
	Copied     ident.Scratch // the scratch that was changed elsewhere; zero: none was
	Unfinished []unfinished
	Fault      string // of the whole form
	Refused    bool   // the form was sent, and nothing was created
	Saved      bool
	Refusals   []closed // posts that did not take their change
	Conflicts  []conflict
	Person     ident.User
	Strip      bool      // the module wants the media again, because it added some
	Arranged   []written // texts that a button of a thread has changed
	Numbers    bool      // the parts of a text that is split get numbers
	Threaded   bool      // the module wants the threads again
}

// show shows a scratch, or a new one.
func (c *composer) show(v *frame.Visit) error {
	if of, requested, err := startOpened(v); requested {
		if err != nil {
			return err
		}
		return c.open(v, of)
	}
	if v.Request.URL.Query().Has("idea") {
		return c.fromIdea(v)
	}
	channels, err := c.channels(v)
	if err != nil {
		return err
	}
	data := page{Scratch: ident.New[ident.Scratch]()}
	d, on := started(v, channels), desk{channels: channels}
	if v.Request.URL.Query().Has("scratch") {
		id, err := ident.Parse[ident.Scratch](v.Query("scratch"))
		if err != nil {
			return noPage()
		}
		kept, err := c.app.Scratch(v.Request.Context(), v.Principal, id)
		if err != nil {
			return err
		}
		if d, err = restored(kept.Content); err != nil {
			return err
		}
		if v.Query("as") == "new" && d.Origin != nil {
			d.Origin, d.When = nil, atSlot
			d = d.usable(v)
		}
		if on, err = c.desk(v, d.Origin); err != nil {
			return err
		}
		data.Scratch, data.Version, data.Saved = kept.ID, kept.Version, true
	}
	if data.look, err = c.examine(v, d, on); err != nil {
		return err
	}
	return c.page(v, data, 0)
}

func (c *composer) page(v *frame.Visit, data page, status int) error {
	var err error
	if data.Unfinished, err = c.unfinished(v, data.Scratch); err != nil {
		return err
	}
	if data.Labels, err = c.app.Labels(v.Request.Context(), v.Principal); err != nil {
		return err
	}
	data.Person = v.User.ID
	return v.Page(frame.Page{
		Name: "composer/compose", Title: "New post", Wide: true, Status: status, Styles: []string{preview.Style, options.Style, "composer.css", "insert.css", "picker.css"},
		Scripts: []string{"composer.js", "insert.js"}, Data: &data,
	})
}

// channels returns the channels that can be published to.
func (c *composer) channels(v *frame.Visit) ([]channel.Channel, error) {
	all, err := c.app.Channels(v.Request.Context(), v.Principal)
	return slices.DeleteFunc(all, func(one channel.Channel) bool { return !one.Type.Capabilities().Publish }), err
}

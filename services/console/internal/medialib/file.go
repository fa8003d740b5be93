package medialib

import (
	"cmp"
	"fmt"
	"net/http"
	"strings"
	"time"

	"fencepost.internal/services/console/internal/frame"
	"fencepost.internal/services/console/internal/poststate"
	"fencepost.internal/services/internal/app"
	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/media"
	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/kernel/apperr"
	"fencepost.internal/shared/kernel/ident"
)

// file is a file beside the library, or alone on a phone.
type file struct {
	app.DeliveredAsset

	Facts  string
	Uses   []use
	All    int               // uses, of which Uses has the first
	Drafts bool              // a post that is not published uses it
	Back   string            // address of the library
	Here   string            // address of this file
	Text   map[string]string // what the person typed: name, alt and labels
	Faults map[string]string
	Fault  string   // of the last action
	Trim   *trimmer // nil: the file cannot be trimmed
}

// Path returns the path of the file, within the workspace.
func (f file) Path() string { return "/media/" + f.ID.String() }

// use is a use of a file.
type use struct {
	Text, Href, Glyph, Icon string
	At                      time.Time // of a post
	What                    string    // instead of At
}

func (l *library) file(v *frame.Visit) error {
	of, err := l.fileOf(v)
	script := v.Query("json") != "" // the composer asks whether a part of a video is made
	if apperr.Is(err, apperr.NotFound) {
		if making, none := l.part(v); none == nil {
			if script {
				return response(v, map[string]any{"made": false, "detail": making.Reason}, nil)
			}
			return l.draw(v, http.StatusOK, page{Part: making})
		}
	}
	if err != nil {
		return err
	}
	if script {
		return response(v, map[string]any{"made": true}, nil)
	}
	return l.show(v, http.StatusOK, of)
}

// fileOf reads the file of the address and its uses; NOT_FOUND if the workspace does not have it.
func (l *library) fileOf(v *frame.Visit) (*file, error) {
	id, err := frame.PathID(v, "media", ident.Parse[ident.Media])
	if err != nil {
		return nil, err
	}
	ctx := v.Request.Context()
	found, err := l.app.Media(ctx, v.Principal, id)
	if err != nil {
		return nil, err
	}
	q := queryOf(v)
	of := &file{
		DeliveredAsset: found, Facts: facts(found), Back: q.address(v, ""), Here: q.address(v, "/"+id.String()),
		Text: map[string]string{"name": found.Name, "alt": found.AltText, "labels": strings.Join(found.Labels, ", ")}, Faults: map[string]string{},
	}
	uses, all, err := l.app.MediaUses(ctx, v.Principal, id)
	if err != nil {
		return nil, err
	}
	channels, err := l.app.Channels(ctx, v.Principal)
	if err != nil {
		return nil, err
	}
	if of.Trim, err = l.trimmer(v, of); err != nil {
		return nil, err
	}
	byID := channel.ByID(channels)
	of.All = all
	for _, one := range uses {
		of.Uses = append(of.Uses, useOf(v, one, byID))
		of.Drafts = of.Drafts || one.Post != nil && replaceable(one.Post.Status)
	}
	return of, nil
}

// replaceable reports whether a post in this state may get another file.
func replaceable(s post.Status) bool {
	return s == post.Draft || s == post.PendingApproval || s == post.Scheduled
}

func useOf(v *frame.Visit, of app.MediaUse, channels map[ident.Channel]channel.Channel) use {
	if p := of.Post; p != nil {
		at := p.ScheduledAt
		if !p.PublishedAt.IsZero() {
			at = p.PublishedAt
		}
		shown := use{
			Text: cmp.Or(of.Name, "Post without a text"), Href: v.Path("/posts/" + of.ID),
			Glyph: poststate.Glyph(*p, channels[p.ChannelID]), At: at,
		}
		if at.IsZero() {
			shown.What = frame.Words(p.Status)
		}
		return shown
	}
	switch media.OwnerType(of.Type) {
	case media.OwnerWorkspaceLogo:
		return use{Text: "Logo of the workspace", Href: v.Path("/settings"), Icon: "image"}
	case media.OwnerLinkPage:
		return use{Text: "Link page " + of.Name, Icon: "link"}
	case media.OwnerIdeaCard:
		return use{Text: cmp.Or(of.Name, "Idea"), Href: v.Path("/ideas/cards/" + of.ID), Icon: "lightbulb"}
	case media.OwnerChannelAvatar:
		return use{Text: "Picture of " + of.Name, Href: v.Path("/channels/" + of.ID), Icon: "radio"}
	case media.OwnerBrandLogo, media.OwnerBrandPersonaPhoto, media.OwnerBrandStyleReference:
		return use{Text: "Brand kit of " + of.Name, Href: v.Path("/channels/" + of.ID), Icon: "radio"}
	case media.OwnerSeries:
		return use{Text: cmp.Or(of.Name, "Recurring post"), Href: v.Path("/series/" + of.ID), Icon: "repeat-2"}
	case media.OwnerEvergreen:
		return use{Text: cmp.Or(of.Name, "Evergreen post"), Href: v.Path("/evergreen"), Icon: "recycle"}
	case media.OwnerPost:
	}
	return use{Text: cmp.Or(of.Name, frame.Words(of.Type)), Icon: "file-text"}
}

// save changes the name, the alternative text and the labels of a file.
func (l *library) save(v *frame.Visit) error {
	of, err := l.fileOf(v)
	if err != nil {
		return err
	}
	name, text := v.Form("name"), plain(v.Form("alt"))
	of.Text = map[string]string{"name": name, "alt": text, "labels": v.Form("labels")}
	labels, fault := frame.ReadLabels(v.Form("labels"), "file")
	of.Faults["labels"] = fault
	switch {
	case name == "":
		of.Faults["name"] = "Enter a name."
	case len([]rune(name)) > media.LongestName:
		of.Faults["name"] = fmt.Sprintf("Use at most %d characters.", media.LongestName)
	default:
		of.Faults["name"] = frame.Sentence(media.NameFault(name))
	}
	if len([]rune(text)) > media.LongestAltText {
		of.Faults["alt"] = fmt.Sprintf("Use at most %d characters. Networks cut longer texts.", media.LongestAltText)
	}
	if of.Faults["name"] != "" || of.Faults["alt"] != "" || fault != "" {
		return l.show(v, http.StatusUnprocessableEntity, of)
	}
	_, err = l.app.EditMedia(v.Request.Context(), v.Principal, of.ID, media.Edit{Name: &name, AltText: &text, Labels: &labels})
	if err != nil {
		return err
	}
	return v.Done(of.Here, "Saved.")
}

// delete deletes a file that nothing uses.
func (l *library) delete(v *frame.Visit) error {
	of, err := l.fileOf(v)
	if err != nil {
		return err
	}
	err = l.app.DeleteMedia(v.Request.Context(), v.Principal, of.ID)
	if apperr.Is(err, apperr.MediaInUse) { // used since the page was shown
		of.Fault = "The file was not deleted, because something uses it."
		return l.show(v, http.StatusConflict, of)
	}
	if err != nil {
		return err
	}
	return v.Done(of.Back, of.Name+" deleted.")
}

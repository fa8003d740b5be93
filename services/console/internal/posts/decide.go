package posts

import (
	"fmt"
	"net/http"
	"strings"
	"time"

	"fencepost.internal/services/console/internal/frame"
	"fencepost.internal/services/console/internal/poststate"
	"fencepost.internal/services/internal/app"
	"fencepost.internal/shared/kernel/ident"
	"fencepost.internal/shared/kernel/wallclock"
)

// decide approves the posts of the form or asks for changes of them. Each box has a post and the content that the person
// saw of it.
func (p *posts) decide(v *frame.Visit) error {
	picked, approves := v.Fields()["post"], v.Form("do") == "approve"
	page, done, shown := approvalsPage{Tab: v.Form("tab"), Comment: v.Form("comment"), Day: v.Form("day"), Clock: v.Form("clock")}, 0, ""
	for _, value := range picked {
		id, seen, _ := strings.Cut(value, " ")
		fault, err := p.decideOn(v, id, seen, approves)
		switch {
		case err != nil:
			return err
		case fault != "":
			page.Fault, shown = fault, id
		default:
			done++
		}
	}
	switch {
	case len(picked) == 0:
		page.Fault = "Select posts first."
	case page.Fault == "" || done > 0:
		words := "Changes requested."
		if approves {
			words = "Approved."
		}
		if len(picked) > 1 {
			words = fmt.Sprintf("%s %d of %d posts.", strings.TrimSuffix(words, ".")+":", done, len(picked))
		}
		return v.Done(v.Path(pathApprovals), strings.TrimSpace(words+" "+page.Fault))
	}
	if len(picked) > 1 {
		shown = ""
	}
	return p.approvalsPage(v, http.StatusConflict, shown, page)
}

// decideOn approves a post or asks for changes. It returns why that is not possible.
func (p *posts) decideOn(v *frame.Visit, text, seen string, approves bool) (fault string, err error) {
	id, err := ident.Parse[ident.Post](text)
	if err != nil {
		return "Someone deleted this post meanwhile.", nil //nolint:nilerr // the page says why
	}
	words := []rune(strings.TrimSpace(v.Form("comment")))
	d := app.Decision{Comment: string(words[:min(len(words), maxComment)]), Seen: seen, AsksTime: true}
	switch {
	case !approves && d.Comment == "":
		return "Say what should change.", nil
	case !approves:
		_, err = p.app.RejectPost(v.Request.Context(), v.Principal, id, d.Comment)
	default:
		if day := v.Form("day"); day != "" {
			at, unread := time.Parse(local, day+" "+v.Form("clock"))
			if unread != nil {
				return "Choose a day and a time.", nil //nolint:nilerr // the page says why
			}
			d.At = wallclock.In(v.Zone(), at)
		}
		_, err = p.app.Decide(v.Request.Context(), v.Principal, id, d)
	}
	return poststate.Refusal([]app.UpdateResult{{Err: err}})
}

// decidePost decides about the post of a page.
func (p *posts) decidePost(approves bool, done string) func(*frame.Visit) error {
	return func(v *frame.Visit) error {
		id, err := frame.PathID(v, "post", ident.Parse[ident.Post])
		if err != nil {
			return err
		}
		if _, err := p.app.Post(v.Request.Context(), v.Principal, id); err != nil {
			return gone(v, err)
		}
		fault, err := p.decideOn(v, id.String(), v.Form("seen"), approves)
		if err != nil {
			return err
		}
		if fault != "" {
			form := selectionOf(v)
			form.Do, form.Fault = "decide", fault
			return p.pageOf(v, id, shown{status: http.StatusConflict, form: form})
		}
		return v.Done(v.Path("/posts/"+id.String()), done)
	}
}

// comment adds a comment to a post.
func (p *posts) comment(v *frame.Visit) error {
	id, err := frame.PathID(v, "post", ident.Parse[ident.Post])
	if err != nil {
		return err
	}
	back := v.Path("/posts/" + id.String())
	if v.Form("at") == "approvals" {
		back = v.Path(pathApprovals + "?post=" + id.String())
	}
	err = p.app.CommentPost(v.Request.Context(), v.Principal, id, v.Form("comment"))
	if faults, ok := frame.Faults(err); ok {
		v.Message(http.StatusUnprocessableEntity, "Comment not saved", faults["comment"], frame.Link{Text: "Back", Path: back})
		return nil
	}
	if err != nil {
		return gone(v, err)
	}
	return v.Done(back, "Comment added.")
}

package posts

import (
	"cmp"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"fencepost.internal/services/console/internal/frame"
	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/kernel/ident"
)

const (
	// offered is the number of upcoming and of published posts that the page of a chain offers.
	offered = 25
	// longestDelay limits the number in the form, whatever its unit.
	longestDelay = 43200
)

// chainPage is the data of the page on which a person chooses what a post waits for.
type chainPage struct {
	Post             post.Post
	Title            string
	Offers           []item
	Before           string // the chosen post
	Delay, Unit      string
	OnFailure, Fault string
	Faults           map[string]string
}

// delayUnits returns the units of a delay, with their lengths.
func delayUnits() map[string]time.Duration {
	const day = 24 * time.Hour
	return map[string]time.Duration{"minutes": time.Minute, "hours": time.Hour, "days": day, "weeks": 7 * day}
}

func (p *posts) chain(v *frame.Visit) error {
	id, err := frame.PathID(v, "post", ident.Parse[ident.Post])
	if err != nil {
		return err
	}
	found, err := p.app.Post(v.Request.Context(), v.Principal, id)
	if err != nil {
		return gone(v, err)
	}
	page := chainPage{Post: found, Delay: "0", Unit: "minutes", OnFailure: string(post.HoldOnFailure)}
	if after := found.After; !after.IsZero() {
		page.Before, page.OnFailure = after.PostID.String(), string(after.OnFailure)
		page.Delay = strconv.Itoa(int(after.Delay / time.Minute))
		for _, unit := range units() {
			if of := delayUnits()[unit]; after.Delay > 0 && after.Delay%of == 0 {
				page.Delay, page.Unit = strconv.Itoa(int(after.Delay/of)), unit
			}
		}
	}
	return p.chainPage(v, page, http.StatusOK)
}

func (p *posts) chainPage(v *frame.Visit, page chainPage, status int) error {
	channels, err := p.app.Channels(v.Request.Context(), v.Principal)
	if err != nil {
		return err
	}
	page.Title = showPage{item: item{Post: page.Post, Channel: channel.ByID(channels)[page.Post.ChannelID]}}.Title()
	if page.Offers, err = p.offers(v, page, channels); err != nil {
		return err
	}
	return v.Page(frame.Page{Name: "posts/chain", Title: "Publish after another post", Status: status, Data: page})
}

// offers returns the posts after which a post may be published: those of its set, the next ones, and the last published ones.
func (p *posts) offers(v *frame.Visit, page chainPage, channels []channel.Channel) ([]item, error) {
	ctx := v.Request.Context()
	var found []post.Post
	if page.Post.InSet() {
		set, err := p.app.SetPosts(ctx, v.Principal, page.Post.GroupID)
		if err != nil {
			return nil, err
		}
		found = set
	}
	for _, filter := range []postgres.PostFilter{
		{Statuses: []post.Status{post.Scheduled, post.PendingApproval, post.Draft}, Sort: post.EarliestFirst},
		{Statuses: []post.Status{post.Published}, Sort: post.NewestFirst},
	} {
		filter.Limit = offered
		more, err := p.app.Posts(ctx, v.Principal, filter)
		if err != nil {
			return nil, err
		}
		found = append(found, more...)
	}
	if id, err := ident.Parse[ident.Post](page.Before); err == nil && !slices.ContainsFunc(found, func(o post.Post) bool { return o.ID == id }) {
		if chosen, err := p.app.Post(ctx, v.Principal, id); err == nil { // it may have been deleted
			found = append(found, chosen)
		}
	}
	seen := map[ident.Post]bool{page.Post.ID: true}
	found = slices.DeleteFunc(found, func(one post.Post) bool {
		again := seen[one.ID] || one.After.PostID == page.Post.ID
		seen[one.ID] = true
		return again
	})
	return p.items(v, found, channels)
}

func (p *posts) saveChain(v *frame.Visit) error {
	id, err := frame.PathID(v, "post", ident.Parse[ident.Post])
	if err != nil {
		return err
	}
	ctx := v.Request.Context()
	found, err := p.app.Post(ctx, v.Principal, id)
	if err != nil {
		return gone(v, err)
	}
	page := chainPage{
		Post: found, Before: v.Form("before"), Delay: strings.TrimSpace(v.Form("delay")), Unit: v.Form("unit"), OnFailure: v.Form("failure"),
		Faults: make(map[string]string),
	}
	after := post.After{OnFailure: post.OnFailure(page.OnFailure)}
	if after.PostID, err = ident.Parse[ident.Post](page.Before); err != nil {
		page.Faults["before"] = "Choose a post."
	}
	n, err := strconv.Atoi(cmp.Or(page.Delay, "0"))
	unit, known := delayUnits()[page.Unit]
	switch {
	case err != nil || !known || n < 0 || n > longestDelay || time.Duration(n)*unit > post.LongestDelay:
		page.Faults["delay"] = "Enter a number from 0. The longest delay is 30 days."
	default:
		after.Delay = time.Duration(n) * unit
	}
	if !slices.Contains(post.OnFailures(), after.OnFailure) {
		page.Faults["failure"] = "Choose what happens then."
	}
	if len(page.Faults) == 0 {
		_, err = p.app.EditPost(ctx, v.Principal, id, func(post.Post) (post.Edit, error) { return post.Edit{After: &after}, nil })
		if err == nil {
			return v.Done(v.Path("/posts/"+id.String()), "This post follows the other one.")
		}
		for member, fault := range faultsOf(err) {
			switch member {
			case "publishAfter/postId":
				page.Faults["before"] = fault
			default:
				page.Fault = fault
			}
		}
		if len(page.Faults) == 0 && page.Fault == "" {
			return gone(v, err)
		}
	}
	return p.chainPage(v, page, http.StatusUnprocessableEntity)
}

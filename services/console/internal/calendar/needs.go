package calendar

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"fencepost.internal/services/console/internal/frame"
	"fencepost.internal/services/console/internal/poststate"
	"fencepost.internal/services/internal/app"
	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/credential"
	"fencepost.internal/shared/domain/event"
	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/kernel/ident"
)

// cause is one reason for which something needs a person, with what to do about it. Its texts have times in UTC, for Prose.
type cause struct {
	ID, Kind    string // Kind: failed, held or pending
	Title, Text string
	Code        string
	Channel     channel.Channel
	Posts       []slip // the first of them
	Of          []ident.Post
	Others      string // address of the list of all; empty if all are shown
	Proof       string

	Act, Icon string // the main action
	Href      string // its page
	Retry     bool   // it tries the posts again
	Edit      bool   // each post has it: the posts are changed one by one
}

// IDs returns the posts as the value of a form.
func (c cause) IDs() string {
	texts := make([]string, len(c.Of))
	for i, id := range c.Of {
		texts[i] = id.String()
	}
	return strings.Join(texts, ",")
}

// Dismissible reports whether the posts can be archived. What they failed of stays on their pages.
func (c cause) Dismissible() bool { return c.Kind == "failed" }

// mostNeeds is the number of posts that a reason shows.
const mostNeeds = 3

// needs returns what needs the visitor, by reason: first what keeps posts from going out, last what can wait.
func (c *calendar) needs(v *frame.Visit, channels []channel.Channel) ([]cause, error) {
	ctx := v.Request.Context()
	found, posts, err := c.app.Needs(ctx, v.Principal, mostNeeds)
	if err != nil {
		return nil, err
	}
	var broken []ident.Channel
	for _, one := range channels {
		if !one.Ready() {
			broken = append(broken, one.ID)
		}
	}
	ahead, err := c.app.Ahead(ctx, v.Principal, broken)
	if err != nil {
		return nil, err
	}
	var causes, later []cause
	for _, one := range channels {
		switch {
		case one.Ready() && one.TokenStatus == channel.TokenExpiring:
			later = append(later, reconnecting(one, "Access to "+one.Name+" ends soon", "Reconnect it within 7 days, and nothing is held."))
		case one.IsConnected && !one.Ready(), ahead[one.ID].Posts > 0:
			lost := lost(one, ahead[one.ID], v.Now())
			if lost.Posts, err = c.waiting(v, one, channels); err != nil {
				return nil, err
			}
			for _, n := range found {
				if n.ChannelID == one.ID && n.Code == post.ErrorNeedsReconnect {
					lost.Of = n.Posts
					lost.Text += fmt.Sprintf(" %s already.", counted(len(n.Posts), "failed"))
				}
			}
			causes = append(causes, lost)
		}
	}
	byID := channel.ByID(channels)
	for _, n := range found {
		of, known := byID[n.ChannelID]
		if !known || n.Code == post.ErrorNeedsReconnect && !of.Ready() {
			continue
		}
		one := causeOf(n, of, posts)
		one.Posts = slipsEach(n.Posts, posts, of, v.Zone())
		if len(n.Posts) > len(one.Posts) {
			one.Others = v.Path("/posts") + "?status=" + strings.ToLower(string(n.Status)) + "&channel=" + of.ID.String()
		}
		causes = append(causes, one)
	}
	waiting, err := c.approvals(v, channels)
	causes = append(causes, waiting...)
	if n := unanswered(v.Attention(), v.Principal); n > 0 {
		title := "1 person waits for an answer"
		if n > 1 {
			title = fmt.Sprintf("%d people wait for an answer", n)
		}
		causes = append(causes, cause{ID: "inbox", Kind: "pending", Title: title, Act: "Open the inbox", Icon: "inbox", Href: "/inbox"})
	}
	return append(causes, later...), err
}

// unanswered returns the number of conversations that wait for an answer, as far as the visitor may read them.
func unanswered(waiting postgres.Attention, p app.Principal) int {
	if !p.Allows(credential.InboxRead) {
		return 0
	}
	return waiting.Unanswered
}

// reconnecting returns a reason that connecting the channel again ends.
func reconnecting(of channel.Channel, title, text string) cause {
	return cause{
		ID: "channel-" + of.ID.String(), Kind: "held", Title: title, Text: text, Channel: of, Act: "Reconnect", Icon: "plug",
		Href: "/channels/" + of.ID.String() + "/reconnect",
	}
}

// lost returns the reason of a channel without access. Its posts wait, if it was not disconnected by a person.
func lost(of channel.Channel, ahead postgres.Ahead, now time.Time) cause {
	network := of.Type.Network().Name()
	c := reconnecting(of, "Reconnect "+of.Name, network+" no longer accepts our access. No post is due.")
	switch {
	case ahead.Posts == 0:
	case !of.IsConnected:
		c.Title += ": " + counted(ahead.Posts, "will fail")
		c.Text = "It is disconnected, and its next post is due at " + event.FormatTime(ahead.First) + "."
	case ahead.First.After(now):
		c.Title += ": " + counted(ahead.Posts, "will wait")
		c.Text = network + " no longer accepts our access. The next post is due at " + event.FormatTime(ahead.First) + "."
	default:
		c.Title += ": " + counted(ahead.Posts, "waits")
		c.Text = network + " no longer accepts our access. Posts are published once it is reconnected."
	}
	c.Proof = "nothing was sent"
	return c
}

// counted returns a number of posts with what they do.
func counted(n int, does string) string {
	if n == 1 {
		return "1 post " + does
	}
	return fmt.Sprintf("%d posts %s", n, strings.TrimSuffix(does, "s"))
}

// waiting returns the first posts that wait for a channel.
func (c *calendar) waiting(v *frame.Visit, of channel.Channel, channels []channel.Channel) ([]slip, error) {
	found, err := c.app.Posts(v.Request.Context(), v.Principal, postgres.PostFilter{
		Statuses: []post.Status{post.Scheduled}, ChannelIDs: []ident.Channel{of.ID}, Sort: post.EarliestFirst, Limit: mostNeeds,
	})
	return slipsOf(found, channels, v.Zone()), err
}

// approvals returns the posts that wait for the visitor's approval; none if the visitor may not approve.
func (c *calendar) approvals(v *frame.Visit, channels []channel.Channel) ([]cause, error) {
	counts := v.Attention()
	if counts.Pending == 0 || !v.Principal.Allows(credential.PostsApprove) {
		return nil, nil
	}
	found, err := c.app.Posts(v.Request.Context(), v.Principal, postgres.PostFilter{
		Statuses: []post.Status{post.PendingApproval}, Limit: mostNeeds,
	})
	const list = "/posts?status=pending_approval"
	one := cause{
		ID: "approvals", Kind: "pending", Title: counted(counts.Pending, "waits") + " for your approval", Act: "Review", Icon: "shield-check",
		Href: list, Posts: slipsOf(found, channels, v.Zone()),
	}
	return []cause{one}, err
}

// causeOf says why posts failed, or are under review for long.
func causeOf(n postgres.Need, of channel.Channel, posts map[ident.Post]post.Post) cause {
	network := of.Type.Network().Name()
	c := cause{ID: fmt.Sprintf("%s-%s", n.Status, n.Posts[0]), Kind: "failed", Channel: of, Of: n.Posts, Code: n.Code}
	if n.Status == post.Scheduled {
		c.Kind, c.Title = "held", network+" reviews "+strings.TrimSuffix(counted(len(n.Posts), " "), " ")+" for long"
		c.Text = "Look at " + of.Name + " on " + network + ": it may say there what is missing. We keep looking for 24 hours."
		return c
	}
	if n.Status == post.Published {
		return c.incomplete(posts[n.Posts[0]])
	}
	c.Title, c.Proof = fmt.Sprintf("%s on %s", counted(len(n.Posts), "failed"), of.Name), "not on "+network
	failure := posts[n.Posts[0]].Error
	if failure == nil { // someone acted meanwhile
		return c
	}
	remedy := poststate.RemedyOf(failure, of)
	c.Text = frame.Sentence(failure.Message)
	switch {
	case remedy.Look:
		c.Proof = "may be there"
		if n.Code == post.ErrorRemoved {
			c.Proof = ""
		}
		c.Title, c.Text = lookTitle(n.Code, of), remedy.Text
	case remedy.Fit:
		c.Retry, c.Act, c.Icon = true, remedy.Retry, "rotate-cw"
		if len(n.Posts) > 1 {
			c.Act = fmt.Sprintf("Try all %d again", len(n.Posts))
		}
	default:
		c.Edit = true
		if n.Code == poststate.CodeRefused {
			c.Title = network + " refused " + strings.TrimSuffix(counted(len(n.Posts), " "), " ")
		}
	}
	return c
}

// incomplete says why parts of a published post are not published.
func (c cause) incomplete(of post.Post) cause {
	c.Title, c.Proof = "1 post is incomplete on "+c.Channel.Name, "its first part is on "+c.Channel.Type.Network().Name()
	if len(c.Of) > 1 {
		c.Title = fmt.Sprintf("%d posts are incomplete on %s", len(c.Of), c.Channel.Name)
	}
	if at := slices.IndexFunc(of.Parts, func(s post.PartState) bool { return s.Error != nil }); at >= 0 {
		c.Code, c.Text = of.Parts[at].Error.Code, frame.Sentence(of.Parts[at].Error.Message)
	}
	c.Act, c.Icon, c.Href = "Decide", "arrow-right", "/posts/"+c.Of[0].String()
	return c
}

func lookTitle(code string, of channel.Channel) string {
	network := of.Type.Network().Name()
	switch code {
	case post.ErrorOutcomeUnknown:
		return "Is it on " + network + "?"
	case post.ErrorRemoved:
		return network + " removed a post"
	default:
		return "Finish it on " + network
	}
}

// slipsEach returns a slip for each of the first posts: the posts of a set may have failed for different reasons.
func slipsEach(ids []ident.Post, posts map[ident.Post]post.Post, of channel.Channel, zone *time.Location) []slip {
	var slips []slip
	for _, id := range ids[:min(mostNeeds, len(ids))] {
		if p, known := posts[id]; known {
			slips = append(slips, slip{At: p.ScheduledAt.In(zone)}.with(&p, of))
		}
	}
	return slips
}

// needCounts returns the number beside the link to the page.
func needCounts(waiting postgres.Attention, p app.Principal) []frame.Count {
	n, tone := waiting.Failed+waiting.Incomplete+waiting.Review+waiting.Reconnect+waiting.Ending+min(1, unanswered(waiting, p)), "person"
	if p.Allows(credential.PostsApprove) {
		n += waiting.Pending
	}
	if waiting.Failed+waiting.Incomplete > 0 {
		tone = "stopped"
	}
	return []frame.Count{{N: n, Tone: tone, What: "need you"}}
}

package posts

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"

	"fencepost.internal/services/console/internal/frame"
	"fencepost.internal/services/console/internal/poststate"
	"fencepost.internal/services/internal/app"
	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/kernel/ident"
)

// partRow is a part of a post as the page of the post shows it.
type partRow struct {
	Name  string
	Words string
	Tone  string
	Glyph string
	State string
	URL   string // empty: not published, or the network reports none
	Fault string
}

// continuation is the decision about a post of which a part is not published.
type continuation struct {
	Title, Text string
	Remedy      poststate.Remedy
	Look        bool   // the part may be on the network
	Button      string // publishes the rest
	Warning     string // before it is published; empty: none is needed
	End         string // what happens to the rest otherwise
}

// partWords names a part. Parts are counted from 1, with the post as the first.
func partWords(one post.PartState) string {
	if one.Kind == post.PartComment {
		return "First comment"
	}
	return fmt.Sprintf("Part %d", one.Index+1)
}

// partsOf returns the parts of a post; nil for a post without.
func partsOf(p post.Post) []partRow {
	rows := make([]partRow, len(p.Parts))
	for i, one := range p.Parts {
		row := partRow{Name: partWords(one), URL: one.URL}
		text := p.Content
		switch {
		case one.Kind == post.PartComment:
			text = p.Comment.Content
		case i > 0 && i <= len(p.Thread):
			text = p.Thread[i-1].Content
		}
		const most = 160
		row.Words = poststate.Clipped(text, most)
		row.Tone, row.Glyph, row.State = partSign(p, i)
		if one.Error != nil && one.Status != post.PartPublished {
			row.Fault = one.Error.Message
		}
		rows[i] = row
	}
	return rows
}

// partSign returns the color, the shape and the words of the state of a part.
func partSign(p post.Post, i int) (tone, glyph, words string) {
	switch p.Parts[i].Status {
	case post.PartPublished:
		return "good", "published", "Live"
	case post.PartFailed:
		return "bad", "failed", "Failed"
	case post.PartUnknown:
		return "warn", "checking", "Unknown"
	case post.PartPending:
	}
	if p.PartsState == post.PartsPending {
		return "", "waiting", "Planned"
	}
	if p.PartsState == post.PartsInProgress && p.Parts[i-min(i, 1)].Status == post.PartPublished {
		return "info", "sending", "On its way"
	}
	return "", "waiting", "Waits"
}

// livePartsOf returns the number of the parts that are published.
func livePartsOf(p post.Post) (n int) {
	for _, one := range p.Parts {
		if one.Status == post.PartPublished {
			n++
		}
	}
	return n
}

// PartsLive says how many parts are published.
func (s showPage) PartsLive() string {
	if s.Post.Status != post.Published {
		return counted(len(s.Post.Parts), "part")
	}
	return fmt.Sprintf("%d of %d live", livePartsOf(s.Post), len(s.Post.Parts))
}

// Remains says which parts of a published post stay on its network when the post is deleted here, or without the post; empty:
// none.
func (s showPage) Remains() string {
	n, network := livePartsOf(s.Post), s.Channel.Type.Network().Name()
	switch {
	case len(s.Post.Parts) == 0 || n == 0:
		return ""
	case n == 1:
		return "1 part is live on " + network + " and stays there."
	default:
		return fmt.Sprintf("%d parts are live on %s and stay there.", n, network)
	}
}

// Removal says what deleting the post does.
func (s showPage) Removal() string {
	return strings.TrimSpace("The post is deleted for good and is never published. " + s.Remains())
}

// LiveRemoval says what deleting the post from its network does.
func (s showPage) LiveRemoval() string {
	text := "People on " + s.Live.Network + " no longer see the post. Its timeline stays here."
	if n := livePartsOf(s.Post); n > 1 {
		text = fmt.Sprintf("Only its first part is deleted from %s. %s live there and stay.", s.Live.Network, others(n-1))
	}
	return text
}

func others(n int) string {
	if n == 1 {
		return "1 other part is"
	}
	return fmt.Sprintf("%d other parts are", n)
}

// Progress reports whether parts are being published, so that the page is read again.
func (s showPage) Progress() bool { return s.Post.PartsState == post.PartsInProgress }

// continuationOf returns the decision about a post; nil if there is none to make.
func continuationOf(p post.Post, of channel.Channel) *continuation {
	at := slices.IndexFunc(p.Parts, func(one post.PartState) bool { return one.Status != post.PartPublished })
	if p.PartsState != post.PartsIncomplete || at < 0 {
		return nil
	}
	one, network := p.Parts[at], of.Type.Network().Name()
	name := strings.ToLower(partWords(one))
	live := fmt.Sprintf("%d of %d live", livePartsOf(p), len(p.Parts))
	c := &continuation{
		Title: live + "; " + name + " failed", Button: "Continue at " + name,
		End: "The rest is not published. What is live on " + network + " stays there.",
	}
	if one.Kind == post.PartComment {
		c.Button = "Publish the comment"
	}
	if one.Error != nil {
		c.Text, c.Remedy = one.Error.Message, poststate.RemedyOf(one.Error, of)
		c.Remedy.Text = remedyOfPart(one.Error, c.Remedy.Text)
	}
	if one.Status == post.PartUnknown {
		c.Look, c.Title = true, live+"; "+name+" cannot be found or ruled out"
		c.Text, c.Remedy.Text = "", "Look at "+of.Name+" on "+network+" first."
		c.Warning = "If " + name + " is on " + network + ", it will be there twice."
	}
	return c
}

// remedyOfPart returns the advice about a part that failed. That about whole posts does not fit a part of one that is public.
func remedyOfPart(e *post.Error, text string) string {
	switch e.Code {
	case post.ErrorRateLimited, post.ErrorPlatformDown, post.ErrorProcessingTimeout:
		return "Nothing is wrong with the part."
	case post.ErrorNeedsReconnect:
		return text
	default:
		if e.Retryable {
			return ""
		}
		return "Publishing it again unchanged may fail again."
	}
}

// continueParts publishes the parts that are not published, or gives them up.
func (p *posts) continueParts(v *frame.Visit) error {
	id, err := frame.PathID(v, "post", ident.Parse[ident.Post])
	if err != nil {
		return err
	}
	end := v.Form("end") != ""
	_, err = p.app.ContinueParts(v.Request.Context(), v.Principal, id, app.ContinueParts{End: end})
	if faults := faultsOf(err); len(faults) > 0 {
		form := selection{Do: "continue", Fault: strings.Join(slices.Sorted(maps.Values(faults)), " ")}
		return p.pageOf(v, id, shown{status: http.StatusUnprocessableEntity, form: form})
	}
	if err != nil {
		return gone(v, err)
	}
	notice := "Publishing the rest."
	if end {
		notice = "Ended. The rest is not published."
	}
	return v.Done(v.Path("/posts/"+id.String()), notice)
}

func counted(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

package composer

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"fencepost.internal/services/console/internal/frame"
	"fencepost.internal/services/internal/app"
	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/kernel/ident"
	"fencepost.internal/shared/platform"
)

// thread is the part of the page with the thread and the first comment of a channel, or the common ones.
type thread struct {
	For     string
	Channel channel.Channel // zero: the common ones
	Shown   bool
	// Takes and Comments report that the channel takes threads and first comments; of the common ones, a channel of the post.
	// NoThread and NoComment say why the channel takes none.
	Takes, Comments     bool
	NoThread, NoComment string
	Own, OwnComment     bool // the channel has its own
	Common              int  // number of the common parts
	Commented           bool // there is a common first comment
	Parts               []partView
	Comment             comment
	Counters            []networkCounter // of the first comment
	Found               []finding        // about the first comment
	Long                []string         // names of the networks with threads for which the text is too long
}

// partView is a part as the page shows it.
type partView struct {
	part

	No, At   int // from 1 with the text of the post as the first; and from 0 among the others
	Last     bool
	Focused  bool
	Assets   []app.DeliveredAsset
	Alts     []app.DeliveredAsset // whose descriptions no earlier part shows
	Counters []networkCounter
	Found    []finding
}

// Up and Down return the arrangements that move the part.
func (p partView) Up() string   { return fmt.Sprintf("move %d %d", p.Key, p.At-1) }
func (p partView) Down() string { return fmt.Sprintf("move %d %d", p.Key, p.At+1) }

// ID returns the id of the part's text.
func (p partView) ID() string { return partID(p.Key) }

// Name returns the name of the part's inputs.
func (p partView) Name() string { return p.name() }

// second is the number of the first of the parts after the text of the post.
const second = 2

func partID(key int) string { return "part-" + strconv.Itoa(key) }

func commentID(of string) string { return "comment-" + of }

// networkCounter is the length of a text as the network of a channel counts it.
type networkCounter struct {
	counter

	Channel channel.Channel
}

// Delays returns the choices of the delay of a first comment, in seconds, with their words. One that is chosen is among them.
func (c comment) Delays() [][2]string {
	const minute, hour = 60, 3600
	all := []int{0, minute, 5 * minute, 15 * minute, 30 * minute, hour, 3 * hour, 6 * hour, 12 * hour, 24 * hour}
	if !slices.Contains(all, c.Delay) {
		all = append(all, c.Delay)
		slices.Sort(all)
	}
	choices := make([][2]string, len(all))
	for i, seconds := range all {
		choices[i] = [2]string{strconv.Itoa(seconds), comment{Delay: seconds}.When()}
	}
	return choices
}

// When says when the comment is published.
func (c comment) When() string {
	const minute, hour = 60, 3600
	switch {
	case c.Delay == 0:
		return "Right away"
	case c.Delay%hour == 0:
		return counted(c.Delay/hour, "hour") + " later"
	case c.Delay%minute == 0:
		return counted(c.Delay/minute, "minute") + " later"
	default:
		return counted(c.Delay, "second") + " later"
	}
}

// Chosen returns the value of the chosen delay.
func (c comment) Chosen() string { return strconv.Itoa(c.Delay) }

func counted(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// readPartMedia reads the attachments of the parts. What was deleted meanwhile is left out.
func (c *composer) readPartMedia(ctx context.Context, p app.Principal, l *look) (err error) {
	if l.PartAssets, err = c.app.Attachments(ctx, p, l.draft.partMedia()); err != nil {
		return err
	}
	present := func(parts []part) []part {
		parts = slices.Clone(parts)
		for i := range parts {
			parts[i].Media = nil
			for _, asset := range l.assetsOf(l.draft.mediaOf(parts[i].Key)) {
				parts[i].Media = append(parts[i].Media, asset.ID)
			}
		}
		return parts
	}
	thread := present(l.draft.Thread)
	for id, own := range l.draft.Own {
		if own.Thread != nil {
			own.Thread = new(present(*own.Thread))
			l.draft.Own[id] = own
		}
	}
	l.draft.Thread = thread
	return nil
}

// mediaOf returns the attachments of a part.
func (d draft) mediaOf(key int) []ident.Media {
	all := d.parts()
	return all[slices.IndexFunc(all, func(p part) bool { return p.Key == key })].Media
}

// assetsOf returns attachments of parts, in their order.
func (l *look) assetsOf(files []ident.Media) (found []app.DeliveredAsset) {
	for _, id := range files {
		for _, asset := range l.PartAssets {
			if asset.ID == id {
				found = append(found, asset)
			}
		}
	}
	return found
}

// threads sets the threads and first comments, the common ones first. Target is the channel whose text is shown.
func (c *composer) threads(l *look, target string) {
	seen := slices.Clone(l.draft.Media)
	group := func(id string, of ...channel.Channel) thread {
		g := thread{For: id, Shown: id == target, Common: len(l.draft.Thread), Commented: !l.draft.Comment.empty(), Comment: l.draft.commentOf(id)}
		one := l.draft.Own[id]
		g.Own, g.OwnComment = one.Thread != nil, one.Comment != nil
		parts := l.draft.Thread
		if id != common {
			parts = nil
		}
		if g.Own {
			parts = *one.Thread
		}
		for i, p := range parts {
			view := partView{part: p, No: i + second, At: i, Last: i == len(parts)-1, Focused: p.Key == l.draft.focus, Assets: l.assetsOf(p.Media)}
			for _, asset := range view.Assets {
				if !slices.Contains(seen, asset.ID) {
					seen, view.Alts = append(seen, asset.ID), append(view.Alts, asset)
				}
			}
			view.Found = l.foundAt(view.ID())
			g.Parts = append(g.Parts, view)
		}
		g.Found = l.foundAt(commentID(id))
		c.measure(l, &g, of)
		return g
	}
	var picked []channel.Channel
	for _, m := range l.Marks {
		if m.Picked {
			picked = append(picked, m.Channel)
		}
	}
	l.Threads = []thread{group(common, picked...)}
	for _, m := range l.Marks {
		g := group(m.ID.String(), m.Channel)
		g.Channel = m.Channel
		l.Threads = append(l.Threads, g)
	}
}

// measure counts the texts of the thread for channels, one of each network, and says what these take.
func (c *composer) measure(l *look, g *thread, channels []channel.Channel) {
	var threaded, commented []channel.Network
	for _, of := range channels {
		id, network := of.ID.String(), of.Type.Network()
		one := l.draft.Own[id]
		g.NoThread, g.NoComment = c.app.PartFault(of, post.PartReply), c.app.PartFault(of, post.PartComment)
		takes, comments := g.NoThread == "", g.NoComment == ""
		g.Takes, g.Comments = g.Takes || takes, g.Comments || comments
		content := platform.Content{ContentType: l.draft.kindOf(of.ID), Options: l.draft.Options[id]}
		count := func(text string, kind post.PartKind) networkCounter {
			content.Text, content.ReplyTo = strings.TrimSpace(text), &platform.ReplyTo{Kind: kind}
			return networkCounter{counterOf(of, text, c.app.TextLength(of, content)), of}
		}
		if takes && !slices.Contains(threaded, network) && (g.For == id || one.Thread == nil) {
			threaded = append(threaded, network)
			for i, p := range g.Parts {
				g.Parts[i].Counters = append(g.Parts[i].Counters, count(p.Text, post.PartReply))
			}
		}
		if takes && (one.Text != nil) == (g.For != common) && count(l.draft.textOf(g.For), post.PartRoot).Class == over &&
			!slices.Contains(g.Long, network.Name()) {
			g.Long = append(g.Long, network.Name())
		}
		if comments && !slices.Contains(commented, network) && (g.For == id || one.Comment == nil) {
			commented = append(commented, network)
			g.Counters = append(g.Counters, count(g.Comment.Text, post.PartComment))
		}
	}
	for _, p := range g.Parts {
		slices.SortStableFunc(p.Counters, fuller)
	}
	slices.SortStableFunc(g.Counters, fuller)
}

// fuller compares counters: the one with the least room is first.
func fuller(a, b networkCounter) int { return cmp.Compare(b.full, a.full) }

// foundAt returns the findings about a part or a comment.
func (l *look) foundAt(place string) (all []finding) {
	for _, f := range l.Findings {
		if f.Place == place {
			all = append(all, f)
		}
	}
	return all
}

// More says how many common parts there are.
func (g thread) More() string { return counted(g.Common, "more part") }

// Networks names the networks for which the text is too long.
func (g thread) Networks() string { return strings.Join(g.Long, " and ") }

// place is the field of a part or a comment. The zero value: the post.
type place struct {
	Place string // id of the field
	Name  string // of the part
	For   string // the channel that has it, or "all"
}

// placed returns the field that a finding about the post of a channel is about, and the kind of its part; empty for the post.
func (l *look) placed(id string, f app.Finding) (place, post.PartKind) {
	member := f.Member
	if rest, ok := strings.CutPrefix(member, "variants/"); ok {
		_, member, _ = strings.Cut(rest, "/")
	}
	head, rest, _ := strings.Cut(member, "/")
	own, of := l.draft.Own[id], common
	switch post.Member(head) { //nolint:exhaustive // the others are members of the post
	case post.MemberThread:
		if own.Thread != nil {
			of = id
		}
		index, _, _ := strings.Cut(rest, "/")
		thread := l.draft.threadOf(id)
		if at, err := strconv.Atoi(index); err == nil && at < len(thread) {
			return place{partID(thread[at].Key), fmt.Sprintf("Part %d", at+second), of}, post.PartReply
		}
		return place{}, post.PartReply
	case post.MemberFirstComment:
		if own.Comment != nil {
			of = id
		}
		return place{commentID(of), "First comment", of}, post.PartComment
	}
	return place{}, ""
}

// beyond returns the findings about what no network takes, not even in a draft: too many parts, and too long a delay.
func (d draft) beyond(of channel.Channel) (all []finding) {
	id := of.ID.String()
	add := func(text string) { all = append(all, finding{Channels: []channel.Channel{of}, Stop: true, Text: text}) }
	if n := len(d.threadOf(id)) + 1; n > post.LongestThread {
		add(fmt.Sprintf("A thread has at most %d parts; this one has %d. Remove %d.", post.LongestThread, n, n-post.LongestThread))
	}
	if c := d.commentOf(id); !c.empty() && (c.Delay < 0 || c.Delay > int(post.LongestCommentDelay/time.Second)) {
		add("The first comment follows after 24 hours at most. Choose another time.")
	}
	return all
}

// refused returns the finding that a channel takes no parts of the kind, with the reason.
func refused(m mark, kind post.PartKind, why string) finding {
	f := finding{
		Channels: []channel.Channel{m.Channel}, Stop: true, Text: why,
		Fix: fix{Kind: "parts", Text: "Leave the thread out here", Value: "none " + m.ID.String()},
	}
	if kind == post.PartComment {
		f.Fix.Text, f.Fix.Value = "Leave the comment out here", "nocomment "+m.ID.String()
	}
	return f
}

// arrangement does what a button of a thread says, without scripts.
func (c *composer) arrangement(v *frame.Visit) error {
	s, err := c.read(v)
	if err != nil {
		return err
	}
	data := page{Scratch: s.id, Version: s.version, Numbers: v.Fields().Has("number")}
	if _, data.Fault, err = c.arrange(v, &s); err != nil {
		return err
	}
	if data.look, err = c.examine(v, s.draft, s.desk); err != nil {
		return err
	}
	return c.again(v, &data, 0)
}

package calendar

import (
	"cmp"
	"net/url"
	"slices"
	"strings"
	"time"

	"fencepost.internal/services/console/internal/poststate"
	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/kernel/ident"
)

// slip has the posts that were written together and are due at one minute, as the calendar shows them.
type slip struct {
	At       time.Time // in the time zone of the workspace
	Glyph    string
	Picture  string          // address; empty: none
	media    ident.Media     // first attachment
	of       channel.Channel // of the first post
	Channels []channel.Channel
	Posts    []*post.Post // with the one that needs a person most first
	Lane     string       // of slips at overlapping times
}

// Sign returns the state of the first post.
func (s slip) Sign() poststate.Sign { return poststate.Of(*s.Posts[0], s.of, false) }

// Wait returns what the first post waits for.
func (s slip) Wait() poststate.Wait { return poststate.WaitOf(*s.Posts[0], s.of) }

// Words returns the beginning of the first post.
func (s slip) Words() string { return poststate.Words(*s.Posts[0]) }

// Why returns what needs a person, in few words; empty if nothing does.
func (s slip) Why() string { return why(*s.Posts[0], s.of, s.Glyph) }

// on reports whether a channel has one of the posts.
func (s slip) on(id ident.Channel) bool {
	return slices.ContainsFunc(s.Channels, func(c channel.Channel) bool { return c.ID == id })
}

// labelled reports whether one of the posts has a label.
func (s slip) labelled(name string) bool {
	key := post.LabelKey(name)
	return slices.ContainsFunc(s.Posts, func(p *post.Post) bool {
		return slices.ContainsFunc(p.Labels, func(l string) bool { return post.LabelKey(l) == key })
	})
}

// campaigned reports whether one of the posts is of a campaign.
func (s slip) campaigned(id ident.Campaign) bool {
	return slices.ContainsFunc(s.Posts, func(p *post.Post) bool { return p.CampaignID == id })
}

// Tags returns the labels of the posts, each once.
func (s slip) Tags() (names []string) {
	for _, p := range s.Posts {
		for _, name := range p.Labels {
			if !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	return names
}

// by reports whether a person wrote one of the posts.
func (s slip) by(id ident.User) bool {
	return slices.ContainsFunc(s.Posts, func(p *post.Post) bool { return p.AuthorID == id })
}

// group returns the state by which people filter.
func (s slip) group() string {
	switch s.Glyph {
	case "sending", "waiting", "checking":
		return "scheduled"
	default:
		return s.Glyph
	}
}

// Each returns the channels of the posts, in their order, one per line; empty for a single post.
func (s slip) Each() string {
	if len(s.Posts) < 2 { //nolint:mnd // several
		return ""
	}
	lines, byID := make([]string, len(s.Posts)), channel.ByID(s.Channels)
	for i, p := range s.Posts {
		of := byID[p.ChannelID]
		lines[i] = of.Name + " · " + of.Type.Name()
	}
	return strings.Join(lines, "\n")
}

// Marks returns the first channels, and how many more there are.
func (s slip) Marks() []channel.Channel { return firstOf(s.Channels) }

// More returns the number of channels that Marks leaves out.
func (s slip) More() int { return len(s.Channels) - len(firstOf(s.Channels)) }

// Networks returns the names of the networks, for those who do not see marks.
func (s slip) Networks() string { return poststate.Networks(s.Channels) }

// Dated reports whether the posts have a time.
func (s slip) Dated() bool { return !s.Posts[0].ScheduledAt.IsZero() }

// Movable reports whether the time of every post can change.
func (s slip) Movable() bool {
	return !slices.ContainsFunc(s.Posts, func(p *post.Post) bool { return !p.CanMove() })
}

// most is the number of marks that a slip shows if there is no room for all.
const most = 3

func firstOf(channels []channel.Channel) []channel.Channel {
	if len(channels) <= most {
		return channels
	}
	return channels[:1]
}

// slipsOf returns the slips of posts, earliest first. Archived posts have none.
func slipsOf(planned []post.Post, channels []channel.Channel, zone *time.Location) []slip {
	type place struct {
		group ident.Group
		at    int64
	}
	byID := channel.ByID(channels)
	var slips []slip
	at := make(map[place]int)
	for i := range planned {
		p := &planned[i]
		if p.Status == post.Archived {
			continue
		}
		key := place{p.GroupID, p.ScheduledAt.Unix()}
		i, known := at[key]
		if !known {
			i = len(slips)
			at[key] = i
			slips = append(slips, slip{At: p.ScheduledAt.In(zone)})
		}
		slips[i] = slips[i].with(p, byID[p.ChannelID])
	}
	for _, s := range slips {
		slices.SortStableFunc(s.Channels, func(a, b channel.Channel) int { return cmp.Compare(a.Type.Network(), b.Type.Network()) })
	}
	return slips
}

// with returns the slip with one more post. It shows the state that needs a person most.
func (s slip) with(p *post.Post, of channel.Channel) slip {
	glyph := poststate.Glyph(*p, of)
	if len(s.Posts) == 0 || poststate.Urgency(glyph) > poststate.Urgency(s.Glyph) {
		s.Glyph, s.of = glyph, of
		s.Posts = slices.Insert(s.Posts, 0, p)
	} else {
		s.Posts = append(s.Posts, p)
	}
	if s.media.IsZero() && len(p.MediaIDs) > 0 {
		s.media = p.MediaIDs[0]
	}
	s.Channels = append(s.Channels, of)
	return s
}

// why returns what a person must do about a post.
func why(p post.Post, of channel.Channel, glyph string) string {
	network := of.Type.Network().Name()
	switch {
	case glyph == "pending":
		return "Needs approval"
	case glyph == "failed" && p.Error != nil && p.Error.Code == post.ErrorOutcomeUnknown:
		return "Is it on " + network + "?"
	case glyph == "failed":
		return "Not on " + network
	case glyph == "held" && of.Paused():
		return "Paused"
	case glyph == "held":
		return "Reconnect " + network
	default:
		return ""
	}
}

// opening is a free slot of one or more channels.
type opening struct {
	At       time.Time
	Channels []channel.Channel
}

// Marks returns the first channels.
func (o opening) Marks() []channel.Channel { return firstOf(o.Channels) }

// More returns the number of channels that Marks leaves out.
func (o opening) More() int { return len(o.Channels) - len(firstOf(o.Channels)) }

// Address returns the address of the composer with the time, and with the channels unless they are too many to be meant.
func (o opening) Address(base string) string {
	const mostMeant = 10
	values := url.Values{"at": {o.At.UTC().Format(time.RFC3339)}}
	if len(o.Channels) <= mostMeant {
		for _, c := range o.Channels {
			values.Add("channel", c.ID.String())
		}
	}
	return base + "/compose?" + values.Encode()
}

// Networks returns the names of the networks.
func (o opening) Networks() string { return poststate.Networks(o.Channels) }

// openingsOf returns the free slots by their time, earliest first.
func openingsOf(free map[ident.Channel][]time.Time, channels []channel.Channel, zone *time.Location) []opening {
	var found []opening
	at := make(map[int64]int)
	for _, c := range channels {
		for _, t := range free[c.ID] {
			i, known := at[t.Unix()]
			if !known {
				i = len(found)
				at[t.Unix()] = i
				found = append(found, opening{At: t.In(zone)})
			}
			found[i].Channels = append(found[i].Channels, c)
		}
	}
	slices.SortFunc(found, func(a, b opening) int { return a.At.Compare(b.At) })
	return found
}

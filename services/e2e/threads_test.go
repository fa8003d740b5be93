package e2e_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	fencepost "fencepost.internal/sdk/go"
	"fencepost.internal/services/e2e/harness"
	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/platform/connectors"
)

// story is a post with parts on an account of its own, and a fault of the call for one part.
type story struct {
	typ     channel.Type
	replies int
	comment bool
	fault   string // kind; empty: none
	at      int    // index of the part
	files   []string

	account string
	id      string
	texts   []string // of all parts, in order
}

func (c *story) name() string {
	return strings.ToLower(fmt.Sprintf("%s-%d-%t-%s-%d", c.typ, c.replies, c.comment, c.fault, c.at))
}

// refused reports whether the network refuses the part, so that a person has to continue.
func (c *story) refused() bool { return c.fault == "reject" && c.at > 0 }

// threadFaults are the faults of the calls for parts.
func threadFaults() []string {
	return []string{"timeout_after_accept", "timeout_before", "reject", "rate_limit", "unavailable", "expired_token"}
}

// threadNetworks are the networks of threads.
func threadNetworks() []channel.Type {
	return []channel.Type{channel.Twitter, channel.Threads, channel.Bluesky, channel.Mastodon}
}

// refreshes reports whether the network gives new access tokens without a person. On the others, parts wait for one as posts do.
func refreshes(typ channel.Type) bool {
	return slices.Contains([]channel.Type{channel.Twitter, channel.Bluesky, channel.YouTube}, typ)
}

// stories returns threads with each fault at each of their parts, and first comments with each fault.
func stories(picture, video string) (all []story) {
	lengths := []int{2}
	if isWhole() {
		lengths = []int{1, 4, 24}
	}
	for _, typ := range threadNetworks() {
		for _, replies := range lengths {
			all = append(all, story{typ: typ, replies: replies, comment: true})
			for at := range replies + 1 {
				for i, fault := range threadFaults() {
					switch {
					case at == 0 && fault == "reject", !isWhole() && at == 0 && i > 0:
						continue // no part follows, and posts without parts have the same faults
					case fault == "expired_token" && !refreshes(typ):
						continue
					}
					all = append(all, story{typ: typ, replies: replies, fault: fault, at: at})
				}
			}
		}
	}
	for typ, files := range map[channel.Type][]string{
		channel.FacebookPage: nil, channel.LinkedInPage: nil, channel.InstagramProfessional: {picture}, channel.YouTube: {video},
	} {
		for _, fault := range append(threadFaults(), "") {
			if fault == "expired_token" && !refreshes(typ) {
				continue
			}
			all = append(all, story{typ: typ, comment: true, fault: fault, at: 1, files: files})
		}
	}
	return all
}

// TestPartsUnderFaults publishes threads and first comments while calls for their parts fail, and the worker is killed. Every part is on
// its network once, in order, under the part before it; a refused one waits for a person, who continues.
func TestPartsUnderFaults(t *testing.T) {
	t.Parallel()
	s := harness.New(t, harness.Options{})
	s.Start("api", "").Ready()
	worker := s.Start("worker", "").Ready()
	all := stories(s.Upload("photo.jpg", "image/jpeg", harness.Picture(t, 1)).ID, s.Upload("video.mp4", "video/mp4", harness.Video(t, 100_000)).ID)
	for i := range all {
		all[i].publish(t, s)
	}
	<-time.After(2 * time.Second)
	worker.Kill()
	for i := range all {
		all[i].requirePublished(t, s)
	}
}

// publish creates the post on a new account, whose call for the part fails.
func (c *story) publish(t *testing.T, s *harness.System) {
	t.Helper()
	declared := connectors.Of(c.typ.Network()).SandboxAccount(c.typ, strings.NewReplacer("-", "", "_", "").Replace(c.name()))
	c.account = declared.ID
	ch := s.AddChannel(c.typ, declared.ID, declared.Credentials)
	fault := harness.Fault{Platform: string(c.typ.Network()), Account: declared.ID, Step: "commit"}
	if c.at > 0 && c.fault != "" {
		before := fault
		before.Kind, before.DelayMs, before.Times = "slow", 1, c.at // the calls for the parts before
		s.Sandbox.Inject(before)
	}
	if c.fault != "" {
		fault.Kind, fault.DelayMs = c.fault, 100
		s.Sandbox.Inject(fault)
	}
	in := fencepost.CreatePostsRequest{ChannelIDs: []string{ch.ID.String()}, Content: c.name() + " starts", Schedule: "now", MediaIDs: c.files}
	if c.typ == channel.YouTube {
		in.ContentType, in.Title = fencepost.ContentTypeVideo, "Clip"
	}
	c.texts = append(c.texts, in.Content)
	for i := range c.replies {
		text := fmt.Sprintf("%s, part %d", c.name(), i+2)
		in.Thread, c.texts = append(in.Thread, fencepost.Part{Content: text}), append(c.texts, text)
	}
	if c.comment {
		in.FirstComment = &fencepost.Comment{Content: c.name() + " comments"}
		c.texts = append(c.texts, in.FirstComment.Content)
	}
	posts, err := s.API.Posts.Create(t.Context(), in)
	require.NoError(t, err, c.name())
	c.id = posts[0].ID
}

// requirePublished waits for the end, continues a refused part, and compares what the network has.
func (c *story) requirePublished(t *testing.T, s *harness.System) {
	t.Helper()
	if c.refused() {
		refused := c.ends(t, s, "INCOMPLETE")
		require.Equal(t, fencepost.PartStatusFailed, refused.Parts[c.at].Status, c.name())
		require.NotNil(t, refused.Parts[c.at].Error, c.name())
		require.Len(t, c.published(s), c.at, c.name())
		_, err := s.API.Posts.ContinueParts(t.Context(), c.id, fencepost.ContinuePartsRequest{})
		require.NoError(t, err, c.name())
	}
	p := c.ends(t, s, "COMPLETE")
	posts := c.published(s)
	require.Len(t, posts, len(c.texts), c.name())
	for i, part := range p.Parts {
		require.Equal(t, fencepost.PartStatusPublished, part.Status, c.name())
		require.Equal(t, c.texts[i], posts[i].said(), c.name())
		switch {
		case i == 0:
			require.Empty(t, posts[i].Parent, c.name())
		case part.Kind == fencepost.PartKindComment:
			require.Equal(t, posts[0].ID, posts[i].Parent, c.name())
		default:
			require.Equal(t, posts[i-1].ID, posts[i].Parent, c.name())
		}
	}
}

// entry is a post on its network.
type entry harness.Entry

// said returns the text, which some networks have as the description of a video.
func (e entry) said() string {
	if e.Text == "" {
		return e.Details["description"]
	}
	return e.Text
}

// published returns the posts of the account, in order.
func (c *story) published(s *harness.System) (posts []entry) {
	for _, e := range s.Sandbox.Ledger() {
		if e.Platform == string(c.typ.Network()) && e.Account == c.account {
			posts = append(posts, entry(e))
		}
	}
	slices.SortStableFunc(posts, func(a, b entry) int { return a.Created.Compare(b.Created) })
	return posts
}

func (c *story) ends(t *testing.T, s *harness.System, state string) (p fencepost.Post) {
	t.Helper()
	require.EventuallyWithT(t, func(collect *assert.CollectT) {
		p = s.Get(c.id)
		require.NotNil(collect, p.PartsState, c.name())
		require.Equal(collect, state, *p.PartsState, "%s: %+v %+v", c.name(), p.Parts, p.Waiting)
	}, 2*time.Minute, 200*time.Millisecond)
	return p
}

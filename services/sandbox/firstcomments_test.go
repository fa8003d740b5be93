package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/platform"
	"fencepost.internal/shared/platform/connectors"
	"fencepost.internal/shared/platform/platformtest"
)

// site is a network whose posts take first comments.
type site struct {
	typ     channel.Type
	post    func(t *testing.T, b *bundle, text string) string // publishes a post
	publish []string                                          // the scopes of a connection that cannot comment
	role    string                                            // of its tokens
	longest int                                               // characters
	link    string                                            // part of the address of a comment; empty: there is none
	remove  func(t *testing.T, b *bundle, id string)          // deletes a post
}

func sites() map[string]site {
	all, discard := forums(), func(t *testing.T, b *bundle, id string) {
		t.Helper()
		for _, p := range b.posts(t, "") {
			if p["id"] == id {
				path := fmt.Sprintf("/_sandbox/posts?platform=%s&id=%s", p["platform"], id)
				require.Equal(t, http.StatusNoContent, b.call(t.Context(), t, http.MethodDelete, path, "", "", "").status)
			}
		}
	}
	shared := func(author string, header ...string) func(t *testing.T, b *bundle, text string) string {
		return func(t *testing.T, b *bundle, text string) string {
			t.Helper()
			return b.share(t, author, strings.NewReplacer("[", `\[`, "]", `\]`).Replace(text), header...).header.Get("X-Restli-Id")
		}
	}
	return map[string]site{
		"Facebook": {
			typ: channel.FacebookPage, publish: all["Facebook"].publish, longest: 8_000, link: "?comment_id=", remove: discard,
			post: func(t *testing.T, b *bundle, text string) string {
				t.Helper()
				return b.pagePost(t, text).text(t, "id")
			},
		},
		"Instagram": {
			typ: channel.InstagramProfessional, publish: all["Instagram"].publish, longest: 2_200, remove: discard,
			post: func(t *testing.T, b *bundle, text string) string {
				t.Helper()
				container := b.instagram(t, "image_url", web(t, files(t))+"good.jpg", "caption", text).text(t, "id")
				return b.instagramPublish(t, container).text(t, "id")
			},
		},
		"LinkedIn page": {
			typ: channel.LinkedInPage, longest: 1_250, link: "?commentUrn=", remove: discard, role: "organization",
			publish: []string{"w_organization_social", "r_organization_social", "rw_organization_admin"},
			post:    shared("urn:li:organization:acme"),
		},
		"LinkedIn profile": {
			typ: channel.LinkedInProfile, longest: 1_250, link: "?commentUrn=", remove: discard, publish: []string{"openid", "profile"},
			post: shared(linkedinMember, asMember()...),
		},
		"YouTube": {
			typ: channel.YouTube, publish: all["YouTube"].publish, longest: 10_000, link: "&v=",
			post: func(t *testing.T, b *bundle, text string) string {
				t.Helper()
				id := b.tubed(t, strings.Replace(tubeVideo, `"title":"`, `"title":"`+text+" ", 1), platformtest.Video(1))
				b.clock.Advance(time.Second)
				return b.setsStatus(t, id, `{"privacyStatus":"public","license":"youtube","embeddable":true}`).text(t, "id")
			},
			remove: func(t *testing.T, b *bundle, id string) {
				t.Helper()
				require.Equal(t, http.StatusNoContent, b.call(t.Context(), t, http.MethodDelete, "/youtube/videos?id="+id,
					"sandbox-youtube-acme", "", "").status)
			},
		},
	}
}

// commenter is an account with a post.
type commenter struct {
	*bundle
	site

	connector platform.Connector
	account   platform.Account
	root      string
}

func eachSite(t *testing.T, text string, test func(t *testing.T, c *commenter)) {
	t.Helper()
	for name, s := range sites() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			environment := connectors.Environment{SandboxURL: b.server.URL}
			environment.LinkedIn.Version = b.clock.Now().Format("200601")
			registry, err := connectors.New(environment, b.clock, 5*time.Second)
			require.NoError(t, err)
			link, ok := registry.Link(channel.Channel{Type: s.typ})
			require.True(t, ok)
			connector, ok := link.(platform.Connector)
			require.True(t, ok)
			c := &commenter{bundle: b, site: s, connector: connector, account: reader(s.typ, "acme")}
			c.root = s.post(t, b, text)
			require.NotEmpty(t, c.root)
			test(t, c)
		})
	}
}

func (c *commenter) content(text string) platform.Content {
	return platform.Content{
		ContentType: post.ContentPost, Text: text,
		ReplyTo: &platform.ReplyTo{Kind: post.PartComment, RootID: c.root, ParentID: c.root},
	}
}

// commit prepares and publishes a first comment, a second later.
func (c *commenter) commit(t *testing.T, text string) (platform.Publication, error) {
	t.Helper()
	c.clock.Advance(time.Second)
	preparation, err := c.connector.Prepare(t.Context(), c.account, c.content(text), "")
	require.NoError(t, err)
	require.Equal(t, platform.Preparation{Ready: true}, preparation)
	return c.connector.Commit(t.Context(), c.account, c.content(text), "")
}

// find reconciles the call for a first comment.
func (c *commenter) find(t *testing.T, text string, taken ...string) (platform.Evidence, string) {
	t.Helper()
	evidence, found, err := c.connector.Reconcile(t.Context(), c.account, c.content(text), platform.Sent{
		Text: text, At: c.clock.Now(), Taken: func(id string) bool { return strings.Contains(strings.Join(taken, " "), id) },
	})
	require.NoError(t, err)
	return evidence, found.ExternalID
}

// evidence returns the evidence of a search: those of a profile cannot be read.
func (c *commenter) evidence(of platform.Evidence) platform.Evidence {
	if c.connector.Strength() == platform.ReconcileNone {
		return platform.EvidenceUnclear
	}
	return of
}

// below returns the ids of the account's first comments with the text.
func (c *commenter) below(t *testing.T, text string) []string {
	t.Helper()
	var ids []string
	for _, p := range c.posts(t, "") {
		if p["text"] == text && p["parent"] == c.root {
			ids = append(ids, fmt.Sprint(p["id"]))
		}
	}
	return ids
}

func (c *commenter) fault(t *testing.T, kind string) {
	t.Helper()
	require.Equal(t, http.StatusCreated,
		c.inject(t, `{"platform":"`+string(c.typ)+`","step":"commit","kind":"`+kind+`","delayMs":1000}`).status)
}

// says lets a person comment.
func (c *commenter) says(t *testing.T, text string) {
	t.Helper()
	body, err := json.Marshal(map[string]string{"platform": string(c.typ), "from": "Ann", "text": text, "post": c.root})
	require.NoError(t, err)
	require.Equal(t, http.StatusCreated, c.control(t, "/comments", string(body)).status)
}

// TestFirstComments publishes a first comment below a post that others comment in the same words. It is no post of its own,
// no message of a person, and below its post in the feed.
func TestFirstComments(t *testing.T) {
	t.Parallel()
	const text = "More & <more> in (the) shop\n\nhttps://example.com/a 🌍"
	eachSite(t, "Hello", func(t *testing.T, c *commenter) {
		t.Helper()
		c.says(t, text)
		published, err := c.commit(t, text)
		require.NoError(t, err)
		require.Equal(t, []string{published.ExternalID}, c.below(t, text))
		require.False(t, published.InReview)
		require.Equal(t, c.link != "", published.URL != "")
		require.Contains(t, published.URL, c.link)
		c.says(t, text)
		evidence, id := c.find(t, text)
		require.Equal(t, c.evidence(platform.EvidenceFound), evidence)
		if evidence == platform.EvidenceFound {
			require.Equal(t, published.ExternalID, id)
			evidence, _ = c.find(t, text, id)
			require.Equal(t, platform.EvidenceAbsent, evidence, "it belongs to another post, and the others to Ann")
		}
		if c.connector.Strength() == platform.ReconcileMatch {
			evidence, _, err = c.connector.Reconcile(t.Context(), c.account, platform.Content{Text: text}, platform.Sent{Text: text, At: c.clock.Now()})
			require.NoError(t, err)
			require.Equal(t, platform.EvidenceAbsent, evidence, "it is no post")
		}
		page := c.get(t, "/", "").body
		require.Equal(t, 1, strings.Count(page, "More &amp; &lt;more&gt;"))
		require.Contains(t, page, `class="thread"`)
		poller, polls := c.connector.(platform.Poller)
		if !polls {
			return
		}
		place := platform.PollPlace{Since: c.clock.Now().Add(-time.Hour)}
		if poller.Polling(c.account).PerPost {
			place.Post = c.root
		}
		polled, err := poller.Poll(t.Context(), c.account, place)
		require.NoError(t, err)
		require.Len(t, polled.Events, 2, "those of Ann")
	})
}

// TestFirstCommentBelowReel checks that a reel takes comments by its own id.
func TestFirstCommentBelowReel(t *testing.T) {
	t.Parallel()
	b := setup(t)
	registry, err := connectors.New(connectors.Environment{SandboxURL: b.server.URL}, b.clock, 5*time.Second)
	require.NoError(t, err)
	connector, ok := registry.For(channel.Channel{Type: channel.FacebookPage})
	require.True(t, ok)
	c := &commenter{
		bundle: b, site: site{typ: channel.FacebookPage}, connector: connector, account: reader(channel.FacebookPage, "acme"),
		root: b.pageReel(t),
	}
	published, err := c.commit(t, "First")
	require.NoError(t, err)
	evidence, id := c.find(t, "First")
	require.Equal(t, []any{platform.EvidenceFound, published.ExternalID}, []any{evidence, id})
}

// TestFirstCommentsOnSeveralPages finds a first comment below many others.
func TestFirstCommentsOnSeveralPages(t *testing.T) {
	t.Parallel()
	eachSite(t, "Hello", func(t *testing.T, c *commenter) {
		t.Helper()
		published, err := c.commit(t, "First")
		require.NoError(t, err)
		for range 205 {
			c.says(t, "Nice")
		}
		evidence, id := c.find(t, "First")
		require.Equal(t, c.evidence(platform.EvidenceFound), evidence)
		if evidence == platform.EvidenceFound {
			require.Equal(t, published.ExternalID, id)
		}
		evidence, _ = c.find(t, "Never sent")
		require.Equal(t, c.evidence(platform.EvidenceAbsent), evidence)
	})
}

// TestFirstCommentsOfUnknownOutcome loses responses and refuses calls. Each first comment is there once or not at all, and
// reconciling says which.
func TestFirstCommentsOfUnknownOutcome(t *testing.T) {
	t.Parallel()
	for kind, want := range map[string]struct {
		classes []platform.Class
		there   int
	}{
		"timeout_after_accept": {[]platform.Class{platform.ClassUnknown}, 1},
		"error_after_accept":   {[]platform.Class{platform.ClassUnknown}, 1},
		"truncated_answer":     {[]platform.Class{platform.ClassUnknown}, 1},
		"html_answer":          {[]platform.Class{platform.ClassUnknown}, 1},
		"hostile_answer":       {[]platform.Class{platform.ClassUnknown}, 1},
		"timeout_before":       {[]platform.Class{platform.ClassUnknown}, 0},
		"unavailable":          {[]platform.Class{platform.ClassUnknown}, 0},
		"rate_limit":           {[]platform.Class{platform.ClassRateLimited}, 0},
		"reject":               {[]platform.Class{platform.ClassRejected}, 0},
		"expired_token":        {[]platform.Class{platform.ClassRefresh, platform.ClassReconnect}, 0},
	} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			eachSite(t, "Hello", func(t *testing.T, c *commenter) {
				t.Helper()
				c.fault(t, kind)
				published, err := c.commit(t, "First")
				if err == nil { // LinkedIn's headers confirm a comment without its id
					require.Equal(t, channel.NetworkLinkedIn, c.typ.Network())
					ids := c.below(t, "First")
					require.Len(t, ids, want.there)
					require.Equal(t, c.connector.Strength() == platform.ReconcileMatch, published.ExternalID == ids[0])
					return
				}
				failure := platformtest.Failure(t, err)
				require.Contains(t, want.classes, failure.Class, "%v", err)
				require.NotContains(t, failure.Message, "the post")
				require.Len(t, c.below(t, "First"), want.there)
				require.Equal(t, http.StatusNoContent, c.call(t.Context(), t, http.MethodDelete, "/_sandbox/faults", "", "", "").status)
				evidence, id := c.find(t, "First")
				if want.there == 0 {
					require.Equal(t, c.evidence(platform.EvidenceAbsent), evidence)
					return
				}
				if require.Equal(t, c.evidence(platform.EvidenceFound), evidence); evidence == platform.EvidenceFound {
					require.Equal(t, []string{id}, c.below(t, "First"))
				}
			})
		})
	}
}

// TestRefusedFirstComments checks the refusals that only comments have.
func TestRefusedFirstComments(t *testing.T) {
	t.Parallel()
	refused := func(t *testing.T, c *commenter, text, says string, codes ...string) *platform.Failure {
		t.Helper()
		_, err := c.commit(t, text)
		failure := platformtest.Failure(t, err)
		require.Contains(t, codes, failure.Code, "%v", err)
		require.Contains(t, failure.Message, says)
		require.Empty(t, c.below(t, text))
		return failure
	}
	eachSite(t, "Hello [no comments]", func(t *testing.T, c *commenter) {
		t.Helper()
		failure := refused(t, c, "First", "turned off", "COMMENTS_DISABLED")
		require.Equal(t, platform.ClassRejected, failure.Class)
	})
	eachSite(t, "Hello", func(t *testing.T, c *commenter) {
		t.Helper()
		long := strings.Repeat("a", c.longest+1)
		failure := refused(t, c, long, "yourself", "CONTENT_TOO_LONG", "CONTENT_REFUSED")
		require.Equal(t, platform.ClassRejected, failure.Class)

		known := c.account
		issued := c.control(t, "/tokens", `{"platform":"`+string(c.typ)+`","account":"acme","role":"`+c.role+`","scopes":["`+
			strings.Join(c.publish, `","`)+`"]}`)
		c.account.Credentials.AccessToken = issued.text(t, "accessToken")
		failure = refused(t, c, "First", "Connect the channel again", "REPLY_NOT_ALLOWED")
		require.Equal(t, platform.ClassUser, failure.Class)

		c.account = known
		c.remove(t, c.bundle, c.root)
		if c.typ.Network() == channel.NetworkLinkedIn {
			failure = refused(t, c, "First", "yet", platform.CodeParentNotShown)
			require.Equal(t, platform.ClassTransient, failure.Class, "it is too new")
			c.clock.Advance(time.Minute)
		}
		failure = refused(t, c, "First", "no longer exists", platform.CodeParentGone)
		require.Equal(t, platform.ClassRejected, failure.Class)
		c.root = ""
		failure = refused(t, c, "First", "no longer exists", platform.CodeParentGone)
		require.Equal(t, platform.ClassRejected, failure.Class)
		evidence, _ := c.find(t, "First")
		require.Equal(t, platform.EvidenceUnclear, evidence)
	})
}

package publishing_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"socialpub.internal/shared/channel"
	"socialpub.internal/shared/flow/postflow"
	"socialpub.internal/shared/ident"
	"socialpub.internal/shared/media"
	"socialpub.internal/shared/platform"
	"socialpub.internal/shared/post"
	"socialpub.internal/shared/postgres"
)

// asset keeps a picture that every network takes.
func (b *bundle) asset(t *testing.T) ident.Media {
	t.Helper()
	a := media.Asset{
		ID: ident.New[ident.Media](), WorkspaceID: b.ch.WorkspaceID, Name: "cat.jpg", Type: media.Image, ContentType: "image/jpeg",
		Size: 1 << 20, CreatedAt: time.Now().UTC(),
	}
	require.NoError(t, postgres.NewMedia(b.db).Insert(t.Context(), a))
	return a.ID
}

// TestContentIsJudgedAgainAtItsTime: what the rules, or this build, have against a post ends it before anything is sent.
func TestContentIsJudgedAgainAtItsTime(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		post func(t *testing.T, b *bundle) post.NewPost
		says string
	}{
		"too long": {
			func(*testing.T, *bundle) post.NewPost { return post.NewPost{Content: strings.Repeat("a", 281)} },
			"1 character too long for X",
		},
		"empty": {func(*testing.T, *bundle) post.NewPost { return post.NewPost{} }, "does not publish an empty post"},
		"with a picture, which this build cannot send": {
			func(t *testing.T, b *bundle) post.NewPost {
				t.Helper()
				return post.NewPost{Content: "Hello", MediaIDs: []ident.Media{b.asset(t)}}
			},
			"This version of the service publishes text alone",
		},
		"with a picture that is gone": {
			func(*testing.T, *bundle) post.NewPost {
				return post.NewPost{Content: "Hello", MediaIDs: []ident.Media{ident.New[ident.Media]()}}
			},
			"A file of the post does not exist any more",
		},
		"with an option that the network does not know": {
			func(*testing.T, *bundle) post.NewPost {
				return post.NewPost{Content: "Hello", Options: post.Options{Visibility: "PUBLIC"}}
			},
			"X has no option visibility",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := setup(t, &network{})
			p := b.dueWith(t, time.Second, c.post(t, b))
			require.Equal(t, []postflow.Next{postflow.NextDone}, b.follow(t, p))
			job := b.reload(t, p)
			require.Equal(t, post.Failed, job.Post.Status)
			require.Equal(t, post.ErrorContentInvalid, job.Post.Error.Code)
			require.Contains(t, job.Post.Error.Message, c.says)
			require.False(t, job.Post.Error.Retryable, "the same content would fail again")
			require.Zero(t, job.Attempt.N, "nothing was attempted")
			require.Zero(t, b.net.commits.Load())
		})
	}
}

func TestAWarningKeepsNoPostBack(t *testing.T) {
	t.Parallel()
	b := setup(t, &network{})
	p := b.dueWith(t, time.Second, post.NewPost{Content: "Buy $ACME and $OTHER", Title: "X shows no titles"})
	b.follow(t, p)
	require.Equal(t, post.Published, b.reload(t, p).Post.Status)
}

func TestOptionsReachTheConnector(t *testing.T) {
	t.Parallel()
	b := setup(t, &network{typ: channel.LinkedInProfile})
	options := post.Options{Visibility: "CONNECTIONS"}
	p := b.dueWith(t, time.Second, post.NewPost{Content: "Hello", Options: options})
	b.follow(t, p)
	require.Equal(t, post.Published, b.reload(t, p).Post.Status)
	require.Equal(t, []platform.Content{{
		PostID: p.ID, ContentType: post.ContentPost, Text: "Hello", Options: options,
	}}, b.net.contents)
}

// TestWhatWasPreparedIsForItsContentAlone: while the network works on what it was given the post can be edited; what was
// prepared for other content is then of no use.
func TestWhatWasPreparedIsForItsContentAlone(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		edit  post.Edit
		takes platform.Handle // what the second Prepare is given
	}{
		"the same options again": {post.Edit{Options: &post.Options{Visibility: "PUBLIC"}}, "container"},
		"other options":          {post.Edit{Options: &post.Options{Visibility: "CONNECTIONS"}}, ""},
		"no options":             {post.Edit{Options: &post.Options{}}, ""},
		"another text":           {post.Edit{Content: new("Bye")}, ""},
		"another title":          {post.Edit{Title: new("A title")}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var handles []platform.Handle
			b := setup(t, &network{typ: channel.LinkedInProfile, prepare: func(h platform.Handle) (platform.Preparation, error) {
				handles = append(handles, h)
				return platform.Preparation{Handle: "container", Ready: len(handles) > 1, Wait: time.Millisecond}, nil
			}})
			p := b.dueWith(t, time.Second, post.NewPost{Content: "Hello", Options: post.Options{Visibility: "PUBLIC"}})
			out, err := b.Publish(t.Context(), step(p))
			require.NoError(t, err)
			require.Equal(t, postflow.NextProcessing, out.Next)
			change, edited, err := b.reload(t, p).Post.Edit(c.edit, time.Now().UTC().Truncate(time.Millisecond), post.ActorAPI)
			require.NoError(t, err)
			require.Equal(t, c.takes == "", edited)
			if edited {
				require.NoError(t, b.posts.Apply(t.Context(), change))
			}
			b.follow(t, p)
			require.Equal(t, []platform.Handle{"", c.takes}, handles)
			require.Equal(t, post.Published, b.reload(t, p).Post.Status)
			require.Equal(t, 1, b.reload(t, p).Attempt.N)
		})
	}
}

// A preparation outlives a new version of this service: the marker of what has neither media nor options never changes.
func TestTheMarkerOfTextAlone(t *testing.T) {
	t.Parallel()
	b := setup(t, &network{prepare: func(platform.Handle) (platform.Preparation, error) {
		return platform.Preparation{Handle: "container", Wait: time.Minute}, nil
	}})
	p := b.due(t, time.Second)
	_, err := b.Publish(t.Context(), step(p))
	require.NoError(t, err)
	require.Equal(t, "7a97a550c41a0e18be49e40c5f97e0a9", b.reload(t, p).Attempt.Marker)
}

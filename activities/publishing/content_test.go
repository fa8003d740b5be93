package publishing_test

import (
	"context"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/activities/publishing"
	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/media"
	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/flow/postflow"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/infra/postgres/postgrestest"
	"fencepost.internal/shared/kernel/ident"
	"fencepost.internal/shared/platform"
)

// arrived creates an image that every network accepts and that is not processed yet.
func (b *bundle) arrived(t *testing.T) media.Asset {
	t.Helper()
	return postgrestest.Asset(t, b.db, media.Asset{
		ID: ident.New[ident.Media](), WorkspaceID: b.ch.WorkspaceID, Name: "cat.jpg", Type: media.Image,
		ContentType: "image/jpeg",
		Size:        1 << 20, CreatedAt: time.Now().UTC(),
	})
}

// lookInto records the results of processing the image.
func (b *bundle) lookInto(t *testing.T, a media.Asset) {
	t.Helper()
	a.Files.Published, a.Probe = a.Files.Original, media.Probe{Width: 800, Height: 600}
	require.NoError(t, postgres.NewMedia(b.db).Processed(t.Context(), a, time.Now().UTC()))
}

// asset creates a processed image that every network accepts.
func (b *bundle) asset(t *testing.T) ident.Media {
	t.Helper()
	a := b.arrived(t)
	b.lookInto(t, a)
	return a.ID
}

// carrier is a network that accepts attachments.
type carrier struct{ *network }

func (carrier) CarriesMedia() {}

// files is a stub of attachments that no test reads.
type files struct{ platform.Files }

// forms is a stub of renditions. It makes them without an image, and keeps them.
type forms struct {
	mu      sync.Mutex
	kept    map[ident.Media]media.Rendition
	created []media.Form
	fail    error // of the next call
}

func (f *forms) Stored(_ context.Context, assets []media.Asset, forms []media.Form) ([]media.Asset, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	found := slices.Clone(assets)
	for i, asset := range assets {
		if r, ok := f.kept[asset.ID]; ok && r.Form == forms[i] {
			found[i] = asset.As(r)
		}
	}
	return found, nil
}

func (f *forms) Make(_ context.Context, asset media.Asset, form media.Form) (media.Asset, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if err := f.fail; err != nil {
		f.fail = nil
		return asset, err
	}
	r := media.Rendition{Form: form, Width: form.Width, Height: form.Height, Object: media.Object{
		Key: "rendition", ContentType: form.ContentType, Size: 9,
	}}
	if f.kept == nil {
		f.kept = make(map[ident.Media]media.Rendition)
	}
	f.kept[asset.ID], f.created = r, append(f.created, form)
	return asset.As(r), nil
}

func TestPostWaitsForProcessingOfAttachments(t *testing.T) {
	t.Parallel()
	net := &network{}
	b := setupWith(t, net, carrier{net})
	a := b.arrived(t)
	p := b.dueWith(t, time.Second, post.NewPost{Content: "Hello", MediaIDs: []ident.Media{a.ID}})
	for range 2 {
		out, err := b.Publish(t.Context(), step(p))
		require.NoError(t, err)
		require.Equal(t, postflow.NextProcessing, out.Next)
	}
	job := b.reload(t, p)
	require.Equal(t, post.WaitProcessing, job.Post.Waiting.Reason)
	require.Zero(t, job.Attempt.N, "nothing was attempted")
	entries, err := b.posts.Timeline(t.Context(), p.ID)
	require.NoError(t, err)
	require.Len(t, entries, 2, "created, and one entry for the wait however often it is looked")

	b.lookInto(t, a)
	require.Equal(t, []postflow.Next{postflow.NextDone}, b.follow(t, p))
	require.Equal(t, post.Published, b.reload(t, p).Post.Status)
	require.Equal(t, []ident.Media{a.ID}, []ident.Media{b.net.contents[0].Media[0].ID})
	require.Equal(t, 800, b.net.contents[0].Media[0].Probe.Width)
	require.NotNil(t, b.net.contents[0].Files)
}

// TestAttachmentIsConvertedOnce checks that the network gets an image in the form that it requires, that the form is
// made once, and that a failure to make it is retried.
func TestAttachmentIsConvertedOnce(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		fail  error
		tries []postflow.Next
	}{
		"at once": {nil, []postflow.Next{postflow.NextDone}},
		"after a failure of the machine": {
			&platform.Failure{Class: platform.ClassTransient, Code: "MEDIA_UNAVAILABLE", Message: "Down."},
			[]postflow.Next{postflow.NextPublish, postflow.NextDone},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			net, created := &network{}, &forms{fail: c.fail}
			b := setupWith(t, net, carrier{net}, func(cfg *publishing.Config) { cfg.Renditions = created })
			a := postgrestest.Asset(t, b.db, media.Asset{
				ID: ident.New[ident.Media](), WorkspaceID: b.ch.WorkspaceID, Name: "cat.heic", Type: media.Image,
				ContentType: media.ContentTypeHEIC, Size: 6 << 20, CreatedAt: time.Now().UTC(),
			})
			b.lookInto(t, a)
			p := b.dueWith(t, time.Second, post.NewPost{Content: "Hello", MediaIDs: []ident.Media{a.ID}})
			require.Equal(t, c.tries, b.follow(t, p))
			require.Equal(t, post.Published, b.reload(t, p).Post.Status)
			want := media.Form{ContentType: media.ContentTypeJPEG, Width: 800, Height: 600, MaxSize: 5 << 20}
			require.Equal(t, []media.Form{want}, created.created)
			sent := b.net.contents[0].Media[0]
			require.Equal(t, []any{media.ContentTypeJPEG, int64(9), "rendition", media.Probe{Width: 800, Height: 600}},
				[]any{sent.ContentType, sent.Size, sent.Files.Published.Key, sent.Probe})

			again := b.dueWith(t, time.Second, post.NewPost{Content: "Again", MediaIDs: []ident.Media{a.ID}})
			require.Equal(t, []postflow.Next{postflow.NextDone}, b.follow(t, again))
			require.Len(t, created.created, 1, "the second post uses the stored form")
			require.Equal(t, "rendition", b.net.contents[1].Media[0].Files.Published.Key)
		})
	}
}

// TestUnconvertibleImageFailsPost checks that the message reaches the tenant.
func TestUnconvertibleImageFailsPost(t *testing.T) {
	t.Parallel()
	net := &network{}
	created := &forms{fail: &platform.Failure{Class: platform.ClassRejected, Code: "MEDIA_NOT_CONVERTED", Message: "Broken."}}
	b := setupWith(t, net, carrier{net}, func(cfg *publishing.Config) { cfg.Renditions = created })
	a := postgrestest.Asset(t, b.db, media.Asset{
		ID: ident.New[ident.Media](), WorkspaceID: b.ch.WorkspaceID, Name: "cat.heic", Type: media.Image,
		ContentType: media.ContentTypeHEIC, Size: 1 << 20, CreatedAt: time.Now().UTC(),
	})
	b.lookInto(t, a)
	p := b.dueWith(t, time.Second, post.NewPost{Content: "Hello", MediaIDs: []ident.Media{a.ID}})
	require.Equal(t, []postflow.Next{postflow.NextDone}, b.follow(t, p))
	got := b.reload(t, p).Post
	require.Equal(t, post.Failed, got.Status)
	require.Equal(t, post.Error{Code: "MEDIA_NOT_CONVERTED", Message: "Broken."}, *got.Error)
	require.Zero(t, net.commits.Load())
}

func TestWaitForAttachmentsIsLimited(t *testing.T) {
	t.Parallel()
	net := &network{}
	b := setupWith(t, net, carrier{net})
	p := b.dueWith(t, 3*time.Minute, post.NewPost{Content: "Hello", MediaIDs: []ident.Media{b.arrived(t).ID}})
	require.Equal(t, []postflow.Next{postflow.NextDone}, b.follow(t, p))
	require.Equal(t, post.Published, b.reload(t, p).Post.Status)
}

// TestContentIsValidatedAtPublishTime checks that a post that violates the rules, or that this build does not support,
// fails before anything is sent.
func TestContentIsValidatedAtPublishTime(t *testing.T) {
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
			"This version of the service publishes only text",
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

// TestMissingAttachmentFailsPost covers an attachment that was deleted bypassing the service; normally references
// prevent its deletion.
func TestMissingAttachmentFailsPost(t *testing.T) {
	t.Parallel()
	net := &network{}
	b := setupWith(t, net, carrier{net})
	p := b.dueWith(t, time.Second, post.NewPost{Content: "Hello", MediaIDs: []ident.Media{b.asset(t)}})
	postgrestest.Exec(t, b.address, `DELETE FROM media_reference`)
	postgrestest.Exec(t, b.address, `DELETE FROM media`)
	b.follow(t, p)
	job := b.reload(t, p)
	require.Equal(t, post.Failed, job.Post.Status)
	require.Contains(t, job.Post.Error.Message, "A file of the post no longer exists")
	require.Zero(t, b.net.commits.Load())
}

func TestWarningDoesNotBlockPost(t *testing.T) {
	t.Parallel()
	b := setup(t, &network{})
	p := b.dueWith(t, time.Second, post.NewPost{Content: "Buy $ACME and $OTHER", Title: "X shows no titles"})
	b.follow(t, p)
	require.Equal(t, post.Published, b.reload(t, p).Post.Status)
}

func TestOptionsReachConnector(t *testing.T) {
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

// TestPreparationIsNotUsedForEditedContent edits a post while the network processes its preparation. A preparation of
// other content must not be used.
func TestPreparationIsNotUsedForEditedContent(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		edit  post.Edit
		takes platform.Handle // the handle passed to the second Prepare
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

// TestEditedTextPostIsPublishedWithoutPreparation covers a post that loses its attachments while the network processes
// them: its text needs no handle.
func TestEditedTextPostIsPublishedWithoutPreparation(t *testing.T) {
	t.Parallel()
	prepared := 0
	b := setup(t, &network{prepare: func(platform.Handle) (platform.Preparation, error) {
		if prepared++; prepared == 1 {
			return platform.Preparation{Handle: "upload", Wait: time.Millisecond}, nil
		}
		return platform.Preparation{Ready: true}, nil
	}})
	p := b.due(t, time.Second)
	require.Equal(t, postflow.NextProcessing, b.publish(t, p).Next)
	b.edit(t, p, "Bye")
	require.Equal(t, []postflow.Next{postflow.NextDone}, b.follow(t, p))
	require.Equal(t, post.Published, b.reload(t, p).Post.Status)
	require.EqualValues(t, 1, b.net.commits.Load())
}

// TestMarkerOfPlainTextIsStable checks that the marker of content without media and options never changes, because a
// preparation must survive a new version of this service.
func TestMarkerOfPlainTextIsStable(t *testing.T) {
	t.Parallel()
	b := setup(t, &network{prepare: func(platform.Handle) (platform.Preparation, error) {
		return platform.Preparation{Handle: "container", Wait: time.Minute}, nil
	}})
	p := b.due(t, time.Second)
	_, err := b.Publish(t.Context(), step(p))
	require.NoError(t, err)
	require.Equal(t, "7a97a550c41a0e18be49e40c5f97e0a9", b.reload(t, p).Attempt.Marker)
}

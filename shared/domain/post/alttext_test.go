package post_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/kernel/apperr"
	"fencepost.internal/shared/kernel/ident"
)

// TestAltTextsRequireAttachment checks that no post has a text of an asset that is not attached.
func TestAltTextsRequireAttachment(t *testing.T) {
	t.Parallel()
	one, two := ident.New[ident.Media](), ident.New[ident.Media]()
	in := post.NewPost{MediaIDs: []ident.Media{one}, MediaAltTexts: post.AltTexts{one: "tiles", two: "x"}}
	_, err := post.Create(in, now, post.ActorAPI)
	refusal := new(apperr.Error)
	require.ErrorAs(t, err, &refusal)
	require.Equal(t, apperr.ValidationFailed, refusal.Code)
	require.Len(t, refusal.Fields, 1)
	require.Equal(t, "/mediaAltTexts/"+two.String(), refusal.Fields[0].Pointer)
	require.Contains(t, refusal.Fields[0].Message, "not the id of an attachment")

	in.MediaAltTexts = post.AltTexts{one: "tiles"}
	created, err := post.Create(in, now, post.ActorAPI)
	require.NoError(t, err)
	require.Equal(t, in.MediaAltTexts, created.Post.MediaAltTexts)
	_, _, err = created.Post.Edit(post.Edit{MediaAltTexts: &post.AltTexts{two: "x"}}, now, post.ActorAPI)
	require.ErrorAs(t, err, &refusal)
	require.Equal(t, "/mediaAltTexts/"+two.String(), refusal.Fields[0].Pointer)
}

// TestEditsOfAltTexts checks that an edit replaces all texts, and that those of removed attachments are removed.
func TestEditsOfAltTexts(t *testing.T) {
	t.Parallel()
	one, two, three := ident.New[ident.Media](), ident.New[ident.Media](), ident.New[ident.Media]()
	both := post.AltTexts{one: "first", two: "second"}
	for name, c := range map[string]struct {
		edit   post.Edit
		want   post.AltTexts
		detail string // empty: nothing changes
	}{
		"none":           {post.Edit{}, both, ""},
		"the same":       {post.Edit{MediaAltTexts: &post.AltTexts{two: "second", one: "first"}}, both, ""},
		"another":        {post.Edit{MediaAltTexts: &post.AltTexts{one: "1"}}, post.AltTexts{one: "1"}, "Edited: mediaAltTexts."},
		"an empty one":   {post.Edit{MediaAltTexts: &post.AltTexts{one: ""}}, post.AltTexts{one: ""}, "Edited: mediaAltTexts."},
		"all removed":    {post.Edit{MediaAltTexts: new(post.AltTexts(nil))}, nil, "Edited: mediaAltTexts."},
		"one media less": {post.Edit{MediaIDs: &[]ident.Media{two}}, post.AltTexts{two: "second"}, "Edited: mediaIds."},
		"another order":  {post.Edit{MediaIDs: &[]ident.Media{two, one}}, both, "Edited: mediaIds."},
		"other media and their text": {
			post.Edit{MediaIDs: &[]ident.Media{three}, MediaAltTexts: &post.AltTexts{three: "3"}},
			post.AltTexts{three: "3"},
			"Edited: mediaIds, mediaAltTexts.",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			before := in(post.Draft)
			before.MediaIDs, before.MediaAltTexts = []ident.Media{one, two}, both
			change, changed, err := before.Edit(c.edit, now, post.ActorAPI)
			require.NoError(t, err)
			require.Equal(t, c.detail != "", changed)
			require.Equal(t, c.want, change.Post.MediaAltTexts)
			if changed {
				require.Equal(t, c.detail, change.Timeline[0].Detail)
			}
			require.Equal(t, post.AltTexts{one: "first", two: "second"}, both, "the post before is unchanged")
		})
	}
}

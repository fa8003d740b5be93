package textpost_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"socialpub.internal/shared/ident"
	"socialpub.internal/shared/platform"
	"socialpub.internal/shared/platform/textpost"
	"socialpub.internal/shared/post"
)

func TestCheck(t *testing.T) {
	t.Parallel()

	rules := textpost.Rules{Name: "Net", Limit: 5, Measure: func(text string) int { return len(text) }, Hint: "Bytes count."}
	const tooLong = "The text is 1 character too long for Net: it counts as 6, and 5 are allowed. Shorten it. Bytes count."
	for name, test := range map[string]struct {
		content platform.Content
		want    []platform.Finding
	}{
		"right":         {platform.Content{ContentType: post.ContentPost, Text: "fives"}, nil},
		"one too many":  {platform.Content{ContentType: post.ContentPost, Text: "sixsix"}, []platform.Finding{{Member: "content", Message: tooLong}}},
		"space is none": {platform.Content{ContentType: post.ContentPost, Text: " \n"}, []platform.Finding{{Member: "content", Message: "Net does not publish an empty post; write some text."}}},
		"all at once": {
			platform.Content{ContentType: post.ContentReel, Text: "12345678", Title: "T", MediaIDs: make([]ident.Media, 2)},
			[]platform.Finding{
				{Member: "contentType", Message: "Net takes posts of type POST; this one is REEL. Change the type."},
				{Member: "mediaIds", Message: "Posts to Net are text only at present; remove the 2 attachments."},
				{Member: "content", Message: "The text is 3 characters too long for Net: it counts as 8, and 5 are allowed. Shorten it. Bytes count."},
				{Member: "title", Message: "Posts on Net have no title; it will be left out.", Warning: true},
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			require.Equal(t, test.want, rules.Check(test.content))
		})
	}
}

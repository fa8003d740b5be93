package rules_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/media"
	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/platform"
	"fencepost.internal/shared/platform/connectors"
	"fencepost.internal/shared/platform/rules"
)

// TestForms checks into which form an image is converted, and that the form meets the network's rules.
func TestForms(t *testing.T) {
	t.Parallel()
	jpeg := func(width, height int, size int64) media.Form {
		return media.Form{ContentType: media.ContentTypeJPEG, Width: width, Height: height, MaxSize: size}
	}
	none := media.Form{}
	pinned := options(post.Options{BoardID: "1"})
	for name, c := range map[string]struct {
		typ     channel.Type
		content platform.Content
		want    []media.Form
	}{
		"accepted as it is":         {channel.Twitter, posted(picture(rules.PNG, mB), sized(9_000, 9_000)), []media.Form{none}},
		"another format":            {channel.Twitter, posted(picture(rules.HEIC, mB), sized(800, 600)), []media.Form{jpeg(800, 600, 5*mB)}},
		"size of the image unknown": {channel.Twitter, posted(picture(rules.HEIC, mB)), []media.Form{jpeg(0, 0, 5*mB)}},
		"too many bytes":            {channel.Twitter, posted(picture(rules.WebP, 6*mB), sized(800, 600)), []media.Form{jpeg(800, 600, 5*mB)}},
		"too many pixels":           {channel.LinkedInPage, posted(jpegs(1), sized(10_000, 5_000)), []media.Form{jpeg(8_503, 4_251, 8*mB)}},
		"exactly as many pixels":    {channel.LinkedInPage, posted(jpegs(1), sized(36_152_319, 1)), []media.Form{none}},
		"width and height":          {channel.TelegramChannel, posted(jpegs(1), sized(9_000, 3_000)), []media.Form{jpeg(7_500, 2_500, 10*mB)}},
		"the shorter side":          {channel.TikTokPersonal, posted(jpegs(1), sized(2_160, 1_200)), []media.Form{jpeg(1_920, 1_066, 20*mB)}},
		"a recommended width":       {channel.InstagramProfessional, posted(jpegs(1), sized(4_000, 4_000)), []media.Form{none}},
		"a recommended width, converted anyway": {
			channel.InstagramProfessional, posted(picture(rules.PNG, mB), sized(4_000, 4_000)), []media.Form{jpeg(1_440, 1_440, 8*mB)},
		},
		"a story has no recommended width": {
			channel.InstagramProfessional, story(picture(rules.PNG, mB), sized(2_000, 4_000)), []media.Form{jpeg(2_000, 4_000, 8*mB)},
		},
		"one of two":        {channel.Twitter, posted(jpegs(1), picture(rules.HEIC, mB)), []media.Form{none, jpeg(0, 0, 5*mB)}},
		"never enlarged":    {channel.Pinterest, posted(picture(rules.WebP, mB), sized(50, 50), pinned), []media.Form{jpeg(50, 50, 20*mB)}},
		"a GIF":             {channel.GoogleBusiness, posted(gifs(1)), []media.Form{none}},
		"a GIF as a video":  {channel.InstagramProfessional, reel(gifs(1)), []media.Form{{ContentType: media.ContentTypeMP4}}},
		"a video":           {channel.Twitter, videoPost(mp4s(1), sized(5_000, 5_000)), []media.Form{none}},
		"no such network":   {channel.WhatsAppBusiness, posted(picture(rules.HEIC, mB)), []media.Form{none}},
		"an unknown format": {channel.Twitter, posted(picture("image/x", mB)), []media.Form{none}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			forms := connectors.Rules().Forms(c.typ, c.content)
			require.Equal(t, c.want, forms)
			for i, form := range forms {
				if !form.IsZero() {
					c.content.Media[i] = form.Of(c.content.Media[i])
				}
			}
			require.Equal(t, make([]media.Form, len(forms)), connectors.Rules().Forms(c.typ, c.content), "converted once")
		})
	}
}

// TestUnreadableImagesAreNotConverted checks that the author of a post learns it before the post's time.
func TestUnreadableImagesAreNotConverted(t *testing.T) {
	t.Parallel()
	content := posted(picture(rules.HEIC, mB))
	content.Media[0].ProcessedAt, content.Media[0].Problem = time.Unix(1, 0), "broken"
	require.True(t, connectors.Rules().Forms(channel.Twitter, content)[0].IsZero())
	findings := connectors.Rules().Check(channel.Twitter, content)
	require.Len(t, findings, 1)
	require.False(t, findings[0].Warning)
	require.Contains(t, findings[0].Message, "is damaged")
	require.Equal(t, media.CodeDamaged, findings[0].Code)
}

// TestCheckDoesNotModifyContent checks that a check does not convert the assets of its caller.
func TestCheckDoesNotModifyContent(t *testing.T) {
	t.Parallel()
	content := posted(picture(rules.HEIC, mB))
	require.Len(t, connectors.Rules().Check(channel.Twitter, content), 1)
	require.Equal(t, media.ContentTypeHEIC, content.Media[0].ContentType)
}

// picture attaches an image.
func picture(format rules.Format, size int64) func(*platform.Content) {
	return file(1, media.Image, format, size)
}

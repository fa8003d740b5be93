package rules_test

import (
	"strings"
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

// Sizes of files.
const (
	kB = int64(1) << 10
	mB = int64(1) << 20
	gB = int64(1) << 30
)

// with returns content of a type with the given parts.
func with(t post.ContentType, parts ...func(*platform.Content)) platform.Content {
	content := platform.Content{ContentType: t}
	for _, part := range parts {
		part(&content)
	}
	return content
}

func posted(parts ...func(*platform.Content)) platform.Content {
	return with(post.ContentPost, parts...)
}

func reel(parts ...func(*platform.Content)) platform.Content { return with(post.ContentReel, parts...) }

func story(parts ...func(*platform.Content)) platform.Content {
	return with(post.ContentStory, parts...)
}

func videoPost(parts ...func(*platform.Content)) platform.Content {
	return with(post.ContentVideo, parts...)
}

func text(text string) func(*platform.Content) {
	return func(c *platform.Content) { c.Text = text }
}

func letters(n int) func(*platform.Content) { return text(strings.Repeat("a", n)) }

func title(title string) func(*platform.Content) {
	return func(c *platform.Content) { c.Title = title }
}

func titled(n int) func(*platform.Content) { return title(strings.Repeat("t", n)) }

func options(options post.Options) func(*platform.Content) {
	return func(c *platform.Content) { c.Options = options }
}

func yes() *bool { return new(true) }
func no() *bool  { return new(false) }

// file attaches a file n times.
func file(n int, t media.Type, format rules.Format, size int64) func(*platform.Content) {
	return func(c *platform.Content) {
		for range n {
			c.Media = append(c.Media, media.Asset{Type: t, ContentType: string(format), Size: size})
		}
	}
}

func jpegs(n int) func(*platform.Content) { return file(n, media.Image, rules.JPEG, 200*kB) }
func gifs(n int) func(*platform.Content)  { return file(n, media.GIF, rules.GIF, 200*kB) }
func mp4s(n int) func(*platform.Content)  { return file(n, media.Video, rules.MP4, 3*mB) }
func pdfs(n int) func(*platform.Content)  { return file(n, media.Document, rules.PDF, 200*kB) }

// probed sets the probe of every attachment that has none yet.
func probed(found media.Probe) func(*platform.Content) {
	return func(c *platform.Content) {
		for i := range c.Media {
			if c.Media[i].Probe.IsZero() {
				c.Media[i].Probe = found
			}
		}
	}
}

func sized(width, height int) func(*platform.Content) {
	return probed(media.Probe{Width: width, Height: height})
}

// size is a width and a height. Zero means unknown.
type size struct{ width, height int }

// photos attaches a JPEG of each size.
func photos(sizes ...size) func(*platform.Content) {
	return func(c *platform.Content) {
		for _, size := range sizes {
			jpegs(1)(c)
			c.Media[len(c.Media)-1].Probe = media.Probe{Width: size.width, Height: size.height}
		}
	}
}

// lasting sets a duration and the dimensions of a common video.
func lasting(d time.Duration) func(*platform.Content) {
	return probed(media.Probe{Width: 720, Height: 1_280, Duration: d})
}

// places returns the members of the findings. A warning has a trailing question mark.
func places(findings []platform.Finding) []string {
	out := []string{}
	for _, f := range findings {
		if f.Warning {
			out = append(out, f.Member+"?")
		} else {
			out = append(out, f.Member)
		}
	}
	return out
}

// cases holds contents of one channel type and the expected members of their findings.
type cases map[string]struct {
	content platform.Content
	want    []string
}

func (c cases) run(t *testing.T, types ...channel.Type) {
	t.Helper()
	for _, typ := range types {
		for name, test := range c {
			t.Run(string(typ)+"/"+name, func(t *testing.T) {
				t.Parallel()

				findings := connectors.Rules().Check(typ, test.content)
				require.Equal(t, append([]string{}, test.want...), places(findings), "%v", findings)
			})
		}
	}
}

// subscribed says that it is known whether the account has a subscription.
func subscribed(yes bool) func(*platform.Content) {
	return func(c *platform.Content) { c.Facts.Premium = &yes }
}

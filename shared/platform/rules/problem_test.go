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

// opened marks the attachments as processed, with what was found.
func opened(problem media.Problem, probe media.Probe) func(*platform.Content) {
	return func(c *platform.Content) {
		for i := range c.Media {
			c.Media[i].ProcessedAt, c.Media[i].Problem, c.Media[i].Probe = time.Unix(1, 0), problem, probe
		}
	}
}

// TestProblemsOfFilesAreFindings checks that the author of a post learns before its time what the service found when it
// opened a file, on every network and for every type of file.
func TestProblemsOfFilesAreFindings(t *testing.T) {
	t.Parallel()
	for problem, test := range map[media.Problem]struct {
		text, code string
		warning    bool
	}{
		media.ProblemBroken:      {"is damaged", media.CodeDamaged, false},
		media.ProblemChanged:     {"was damaged in storage", media.CodeDamaged, false},
		media.ProblemGone:        {"is no longer in storage", media.CodeGone, false},
		media.ProblemLocked:      {"requires a password", "", false},
		media.ProblemTooLarge:    {"too many pixels or frames", "", true},
		media.ProblemUnsupported: {"encoded in an unusual way", "", true},
		media.ProblemTimedOut:    {"takes too long", "", true},
		media.ProblemToolMissing: {"is not installed", "", true},
	} {
		for _, row := range connectors.Rules().All() {
			for _, file := range []func(*platform.Content){jpegs(1), gifs(1), mp4s(1), pdfs(1)} {
				content := posted(file, opened(problem, media.Probe{Width: 800, Height: 600, Duration: 5 * time.Second}))
				findings := connectors.Rules().Check(row.Type, content)
				var found []platform.Finding
				for _, f := range findings {
					if f.Member == "mediaIds/0" {
						found = append(found, f)
					}
				}
				require.NotEmpty(t, found, "%s %s", row.Type, problem)
				require.Contains(t, found[0].Message, test.text, row.Type)
				require.Equal(t, test.code, found[0].Code)
				require.Equal(t, test.warning, found[0].Warning)
				if !test.warning {
					require.Len(t, found, 1, "nothing else matters")
				}
			}
		}
	}
	require.Empty(t, connectors.Rules().Check(channel.Twitter, posted(jpegs(1), opened(media.ProblemUnavailable, media.Probe{}))))
}

// TestUnconvertibleFilesAreRefused checks that a picture which needs another form is refused if the service
// cannot make it.
func TestUnconvertibleFilesAreRefused(t *testing.T) {
	t.Parallel()
	large := opened(media.ProblemTooLarge, media.Probe{Width: 20_000, Height: 15_000})
	for _, content := range []platform.Content{posted(picture(rules.HEIC, mB), large), posted(picture(rules.JPEG, 9*mB), large)} {
		require.True(t, connectors.Rules().Forms(channel.Twitter, content)[0].IsZero())
		require.True(t, hasFault(connectors.Rules().Check(channel.Twitter, content)))
	}
}

func hasFault(findings []platform.Finding) bool {
	for _, f := range findings {
		if !f.Warning {
			return true
		}
	}
	return false
}

// TestAnimatedPictures checks the warning about an animation of which a network shows one frame.
func TestAnimatedPictures(t *testing.T) {
	t.Parallel()
	for _, format := range []rules.Format{rules.PNG, rules.WebP} {
		for _, kind := range []channel.Type{channel.InstagramProfessional, channel.Twitter, channel.Threads, channel.Bluesky} {
			content := posted(picture(format, 100*kB), opened("", media.Probe{Width: 800, Height: 800, Frames: 3}))
			findings := connectors.Rules().Check(kind, content)
			require.NotEmpty(t, findings)
			require.Contains(t, findings[0].Message, "is animated", kind)
			require.False(t, hasFault(findings))
		}
	}
}

// TestUnknownDuration checks the warning about a video whose duration is limited and unknown.
func TestUnknownDuration(t *testing.T) {
	t.Parallel()
	unknown := videoPost(file(1, media.Video, rules.WebM, mB), opened("", media.Probe{Width: 1080, Height: 1920}))
	findings := connectors.Rules().Check(channel.TikTokPersonal, unknown)
	require.Len(t, findings, 1)
	require.Contains(t, findings[0].Message, "duration of attachment 1 is unknown")
	unknown.Media[0].Probe.Duration = 11 * time.Minute
	require.True(t, hasFault(connectors.Rules().Check(channel.TikTokPersonal, unknown)))
}

// TestPicturesAreSentUpright checks that pixels which metadata turns are sent as they are shown, and that nothing is
// announced if nothing else changes.
func TestPicturesAreSentUpright(t *testing.T) {
	t.Parallel()
	turned := opened("", media.Probe{Width: 1_200, Height: 800, Turned: true})
	for _, row := range connectors.Rules().All() {
		content := posted(jpegs(1), turned, options(post.Options{BoardID: "1"}))
		form := connectors.Rules().Forms(row.Type, content)[0]
		if row.Type == channel.YouTube {
			continue
		}
		require.Equal(t, []int{1_200, 800}, []int{form.Width, form.Height}, row.Type)
		for _, f := range connectors.Rules().Check(row.Type, content) {
			require.NotContains(t, f.Message, "is sent to", row.Type)
		}
	}
}

// TestGIFsOnOtherNetworks checks what a GIF becomes on networks that take none.
func TestGIFsOnOtherNetworks(t *testing.T) {
	t.Parallel()
	moving := opened("", media.Probe{Width: 501, Height: 400, Frames: 9, Duration: 900 * time.Millisecond})
	still := opened("", media.Probe{Width: 501, Height: 400, Frames: 1})
	mp4 := media.Form{ContentType: media.ContentTypeMP4, Width: 502, Height: 400}

	content := reel(gifs(1), moving)
	require.Equal(t, []media.Form{mp4}, connectors.Rules().Forms(channel.InstagramProfessional, content))
	sent := mp4.Of(content.Media[0])
	require.Equal(t, media.Video, sent.Type)
	require.Equal(t, 4_500*time.Millisecond, sent.Probe.Duration)
	findings := connectors.Rules().Check(channel.InstagramProfessional, content)
	require.False(t, hasFault(findings), "%v", findings)
	require.Equal(t, "Attachment 1, a GIF with 501 × 400 pixels, is sent to Instagram as an MP4 video, 502 × 400 pixels.",
		findings[0].Message)

	require.Equal(t, media.ContentTypeJPEG,
		connectors.Rules().Forms(channel.InstagramProfessional, posted(gifs(1), still))[0].ContentType)
	require.Equal(t, []media.Form{{}}, connectors.Rules().Forms(channel.Twitter, posted(gifs(1), moving)), "X takes GIFs")
}

package rules_test

import (
	"math"
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

// FuzzCheck checks that every row gives the same findings for the same content twice, and that each finding has a
// member and a message.
func FuzzCheck(f *testing.F) {
	f.Add("POST", "Good morning #a#b @c $ACME https://example.com +49 30 901820", "T", []byte{0, 9, 18}, int64(1), 1_080,
		1_350, int64(time.Minute), 1, "video", "1", "https://example.com", true)
	f.Add("REEL", "\xff🌍", "<\xff", []byte{255}, int64(-1), -1, math.MaxInt, int64(math.MaxInt64), math.MinInt, "short",
		"../", "http://\x00", false)
	f.Add("", "", "", []byte{}, int64(0), 0, 0, int64(0), 0, "", "", "", false)
	formats := []rules.Format{
		rules.JPEG, rules.PNG, rules.WebP, rules.GIF, rules.HEIC, rules.MP4, rules.MOV, rules.WebM, rules.PDF, "", "a/b",
	}
	kinds := append(media.Types(), "AUDIO")

	f.Fuzz(
		func(t *testing.T, contentType, text, title string, files []byte, size int64, width, height int, duration int64, frames int, word, id, link string, flag bool) {
			content := platform.Content{
				ContentType: post.ContentType(contentType), Text: text, Title: title,
				Options: post.Options{
					VideoType: word, Category: id, License: word, NotifySubscribers: &flag, AllowDuet: &flag, UploadToDraft: &flag,
					LongText:    &flag,
					PollOptions: []string{word, id}, PollMinutes: &size, Language: word, Quote: id, Replies: word,
					Visibility: word, BoardID: id, BoardSectionID: id, Link: link, AltText: text,
					TopicType: word, CallToAction: word, ActionURL: link, EventTitle: text, EventStart: word, EventEnd: id,
					ThumbOffset: &size,
				},
			}
			for _, b := range files[:min(len(files), 50)] {
				content.Media = append(content.Media, media.Asset{
					Type: kinds[int(b)%len(kinds)], ContentType: string(formats[int(b)/len(kinds)%len(formats)]), Size: size,
					Probe: media.Probe{Width: width >> (b & 3), Height: height, Duration: time.Duration(duration), Frames: frames},
				})
			}
			for _, typ := range channel.Types() {
				findings := connectors.Rules().Check(typ, content)
				require.Equal(t, findings, connectors.Rules().Check(typ, content))
				for _, finding := range findings {
					require.NotEmpty(t, finding.Member)
					require.NotEmpty(t, finding.Message)
				}
				require.Subset(t, findings, connectors.Rules().CheckOptions(typ, content.Options), "%s", typ)
			}
		})
}

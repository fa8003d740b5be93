package connectors_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/kernel/clock"
	"fencepost.internal/shared/platform"
	"fencepost.internal/shared/platform/connectors"
)

// TestPartsNeedTheirVariable checks that parts are refused where connections lack the permissions for them: before the post is
// published, and when the part itself is.
func TestPartsNeedTheirVariable(t *testing.T) {
	t.Parallel()

	comments, replies := map[post.PartKind]string{post.PartComment: "firstComment"}, map[post.PartKind]string{
		post.PartReply: "thread", post.PartComment: "firstComment",
	}
	off := withoutSandbox(t, "https://network.test")
	for typ, test := range map[channel.Type]struct {
		refused   map[post.PartKind]string // the members of the findings
		variable  string
		set, read func(*connectors.Environment)
	}{
		channel.FacebookPage: {
			comments, "FACEBOOK_FIRST_COMMENTS",
			func(e *connectors.Environment) { e.Facebook.FacebookFirstComments = true },
			func(e *connectors.Environment) { e.Facebook.FacebookInbox = []string{"comments"} },
		},
		channel.InstagramProfessional: {
			comments, "INSTAGRAM_FIRST_COMMENTS",
			func(e *connectors.Environment) { e.Instagram.InstagramFirstComments = true },
			func(e *connectors.Environment) { e.Instagram.InstagramInbox = []string{"comments"} },
		},
		channel.YouTube: {
			comments, "YOUTUBE_FIRST_COMMENTS",
			func(e *connectors.Environment) { e.YouTube.YouTubeFirstComments = true },
			func(e *connectors.Environment) { e.YouTube.YouTubeInbox = []string{"comments"} },
		},
		channel.Threads: {
			replies, "THREADS_REPLIES",
			func(e *connectors.Environment) { e.Threads.ThreadsReplies = true },
			func(e *connectors.Environment) { e.Threads.ThreadsInbox = []string{"comments"} },
		},
		channel.LinkedInPage: {
			comments, "LINKEDIN_FIRST_COMMENTS",
			func(e *connectors.Environment) { e.LinkedIn.LinkedInFirstComments = true }, nil,
		},
		channel.LinkedInProfile: {nil, "", nil, nil},
		channel.Twitter:         {nil, "", nil, nil},
	} {
		t.Run(string(typ), func(t *testing.T) {
			t.Parallel()
			gaps := func(change func(*connectors.Environment), content platform.Content) []platform.Finding {
				environment := off
				if change != nil {
					change(&environment)
				}
				registry, err := connectors.New(environment, clock.System(), 0)
				require.NoError(t, err)
				return registry.Gaps(channel.Channel{Type: typ}, content)
			}
			require.Empty(t, gaps(nil, platform.Content{Text: "Hello"}))
			for kind := range replies {
				part := platform.Content{Text: "More", ReplyTo: &platform.ReplyTo{Kind: kind}}
				for _, content := range []platform.Content{part, {Text: "Hello", Parts: []platform.Content{part}}} {
					found := gaps(nil, content)
					if test.refused[kind] == "" {
						require.Empty(t, found)
						continue
					}
					require.Len(t, found, 1)
					require.Equal(t, test.refused[kind], found[0].Member)
					require.False(t, found[0].Warning)
					require.Contains(t, found[0].Message, test.variable)
					require.Empty(t, gaps(test.set, content))
					if test.read != nil {
						require.Empty(t, gaps(test.read, content), "the inbox has the same permissions")
					}
				}
			}
		})
	}
}

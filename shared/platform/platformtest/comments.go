package platformtest

import (
	"testing"

	"fencepost.internal/shared/domain/post"
)

// runComments checks the first comments of a network whose comments are no replies. They have the guarantees of posts.
func runComments(t *testing.T, h Harness) {
	t.Helper()
	if h.IsComment == nil {
		return
	}
	h.IsCommit, h.comments = h.IsComment, true
	for name, test := range map[string]func(*testing.T, *bench){
		"twenty at once":             testManyAtOnce,
		"an expired token":           testExpiredToken,
		"a dead token":               testDeadToken,
		"a rate limit":               testRateLimit,
		"a refusal":                  testReject,
		"unavailable":                testUnavailableCommit,
		"no connection":              testRefused,
		lostBefore:                   testTimeoutBefore,
		lostAfter:                    testTimeoutAfter,
		"a comment of another post":  testTaken,
		"unexpected responses":       testMangledResponses,
		"invalid error responses":    testServerErrors,
		"a redirect":                 testRedirect,
		"a closed send window":       testSendWindow,
		"a hostile link of comments": testHostileLink,
	} {
		t.Run("comment/"+name, func(t *testing.T) {
			t.Parallel()

			test(t, newBench(t, h, name))
		})
	}
}

// comment publishes the content of the bench, and replaces it by a first comment below it.
func (b *bench) comment(t *testing.T) {
	t.Helper()
	root, _ := b.publish(t, b.content)
	text := b.content.Text
	b.content.Title, b.content.Media, b.content.Files, b.kind = "", nil, nil, MediaPost{}
	b.content = b.below(post.PartComment, root, root, text)
}

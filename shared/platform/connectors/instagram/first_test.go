package instagram_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/platform"
	"fencepost.internal/shared/platform/platformtest"
)

func first(root string) platform.Content {
	return platform.Content{
		ContentType: post.ContentPost, Text: "First!", ReplyTo: &platform.ReplyTo{Kind: post.PartComment, RootID: root, ParentID: root},
	}
}

func TestFirstComment(t *testing.T) {
	t.Parallel()

	b := setup(t, map[string][]platformtest.Response{"POST /v26.0/180/comments": {{Body: `{"id":"179"}`}}})
	preparation, err := b.connector.Prepare(t.Context(), b.account, first("180"), "")
	require.NoError(t, err)
	require.Equal(t, platform.Preparation{Ready: true}, preparation)
	published, err := b.connector.Commit(t.Context(), b.account, first("180"), "")
	require.NoError(t, err)
	require.Equal(t, platform.Publication{ExternalID: "179"}, published)
	require.Len(t, b.script.Requests(), 1)
	require.Equal(t, "First!", b.script.Requests()[0].Form(t).Get("message"))

	_, err = b.connector.Commit(t.Context(), b.account, first(""), "")
	require.Equal(t, platform.CodeParentGone, platformtest.Failure(t, err).Code)
	b.account.Credentials.AccessToken = ""
	_, err = b.connector.Commit(t.Context(), b.account, first("180"), "")
	require.Equal(t, platform.ClassReconnect, platformtest.Failure(t, err).Class)
	_, _, err = b.connector.Reconcile(t.Context(), b.account, first("180"), platform.Sent{Text: "First!", At: now()})
	require.Equal(t, platform.ClassReconnect, platformtest.Failure(t, err).Class)
	require.Len(t, b.script.Requests(), 1)
}

// TestFirstCommentIsFound checks that the account is recognized by its id, by its name, and after a change of its name.
func TestFirstCommentIsFound(t *testing.T) {
	t.Parallel()

	const written = `"id":"179","text":"First!","timestamp":"2027-01-15T08:00:00+0000"`
	for name, test := range map[string]struct {
		comment string
		want    platform.Evidence
	}{
		"by id":             {`"from":{"id":"42","username":"other"},"username":"other"`, platform.EvidenceFound},
		"by name":           {`"username":"ACME"`, platform.EvidenceFound},
		"after a change":    {`"username":"acme_new","user":{"id":"1784"}`, platform.EvidenceFound},
		"of another person": {`"from":{"id":"7","username":"ann"},"username":"ann"`, platform.EvidenceAbsent},
		"of unknown author": {`"like_count":0`, platform.EvidenceUnclear},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			b := setup(t, map[string][]platformtest.Response{
				"GET /v26.0/180/comments": {{Body: `{"data":[{` + written + `,` + test.comment + `}]}`}},
			})
			evidence, found, err := b.connector.Reconcile(t.Context(), b.account, first("180"), platform.Sent{Text: "First!", At: now()})
			require.NoError(t, err)
			require.Equal(t, test.want, evidence)
			require.Equal(t, test.want == platform.EvidenceFound, found.ExternalID == "179")
		})
	}
}

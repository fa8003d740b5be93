package tiktok_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/kernel/clock/clocktest"
	"fencepost.internal/shared/platform"
	"fencepost.internal/shared/platform/connectors/internal/httpcall"
	"fencepost.internal/shared/platform/connectors/tiktok"
)

func TestUnauditedApplications(t *testing.T) {
	t.Parallel()

	at := func(audited string) *tiktok.Personal {
		connector, err := tiktok.NewPersonal(tiktok.PersonalConfig{
			Wire: httpcall.Config{Clock: clocktest.New(now())}, Audited: audited,
		})
		require.NoError(t, err)
		return connector
	}
	for name, test := range map[string]struct {
		options post.Options
		member  string // with a question mark for a warning
	}{
		"no privacy":             {post.Options{}, "options/privacy?"},
		"public":                 {post.Options{Privacy: platform.PrivacyPublic}, "options/privacy"},
		"friends":                {post.Options{Privacy: platform.PrivacyFriends}, "options/privacy"},
		"self":                   {post.Options{Privacy: platform.PrivacySelf}, ""},
		"draft":                  {post.Options{UploadToDraft: yes()}, ""},
		"public draft":           {post.Options{UploadToDraft: yes(), Privacy: platform.PrivacyPublic}, ""},
		"partnership":            {post.Options{BrandContent: yes()}, "options/brandContent"},
		"draft of a partnership": {post.Options{UploadToDraft: yes(), BrandContent: yes()}, ""},
	} {
		content := platform.Content{Options: test.options}
		found := ""
		for _, finding := range at("false").Gaps(content) {
			require.Contains(t, finding.Message, "TikTok has not audited the application of this service", name)
			if found = finding.Member; finding.Warning {
				found += "?"
			}
		}
		require.Equal(t, test.member, found, name)
		require.Empty(t, at("true").Gaps(content), name)
		require.Empty(t, at("").Gaps(content), name)
	}
	_, err := tiktok.NewPersonal(tiktok.PersonalConfig{Wire: httpcall.Config{Clock: clocktest.New(now())}, Audited: "yes"})
	require.Error(t, err)
}

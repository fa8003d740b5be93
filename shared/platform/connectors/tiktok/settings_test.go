package tiktok_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/platform"
	"fencepost.internal/shared/platform/connectors/tiktok"
	"fencepost.internal/shared/platform/platformtest"
)

func yes() *bool { return new(true) }
func no() *bool  { return new(false) }

func public() platform.CreatorInfo {
	return platform.CreatorInfo{PrivacyLevelOptions: []string{"MUTUAL_FOLLOW_FRIENDS", "PUBLIC_TO_EVERYONE", "SELF_ONLY"}}
}

// TestInteractions checks the second rule for each of the three interactions.
func TestInteractions(t *testing.T) {
	t.Parallel()

	for name, test := range map[string]struct {
		allow    *bool
		disabled bool // by the account
		want     bool // sent as disabled
	}{
		"omitted, account allows":   {nil, false, false},
		"omitted, account disables": {nil, true, true},
		"yes, account allows":       {yes(), false, false},
		"yes, account disables":     {yes(), true, true},
		"no, account allows":        {no(), false, true},
		"no, account disables":      {no(), true, true},
	} {
		comment, duet, stitch := public(), public(), public()
		comment.CommentDisabled, duet.DuetDisabled, stitch.StitchDisabled = test.disabled, test.disabled, test.disabled
		for _, each := range []struct {
			interaction string
			options     post.Options
			info        platform.CreatorInfo
			want        tiktok.PostSettings
		}{
			{"comment", post.Options{AllowComments: test.allow}, comment, tiktok.PostSettings{DisableComment: test.want}},
			{"duet", post.Options{AllowDuet: test.allow}, duet, tiktok.PostSettings{DisableDuet: test.want}},
			{"stitch", post.Options{AllowStitch: test.allow}, stitch, tiktok.PostSettings{DisableStitch: test.want}},
		} {
			each.want.PrivacyLevel = platform.PrivacyPublic
			got, err := tiktok.Settings(each.options, each.info)
			require.NoError(t, err)
			require.Equal(t, each.want, got, "%s %s", each.interaction, name)
		}
	}
}

func TestLabelOfAI(t *testing.T) {
	t.Parallel()
	got, err := tiktok.Settings(post.Options{AIGenerated: yes()}, public())
	require.NoError(t, err)
	require.True(t, got.AI)
}

func TestDisclosure(t *testing.T) {
	t.Parallel()

	for _, test := range []struct {
		options post.Options
		want    tiktok.PostSettings
	}{
		{post.Options{}, tiktok.PostSettings{}},
		{post.Options{BrandContent: yes()}, tiktok.PostSettings{BrandContent: true}},
		{post.Options{BrandOrganic: yes(), BrandContent: no()}, tiktok.PostSettings{BrandOrganic: true}},
		{post.Options{UploadToDraft: no()}, tiktok.PostSettings{}},
		{post.Options{Visibility: "PRIVATE", BoardID: "1"}, tiktok.PostSettings{}},
	} {
		test.want.PrivacyLevel = platform.PrivacyPublic
		got, err := tiktok.Settings(test.options, public())
		require.NoError(t, err)
		require.Equal(t, test.want, got)
	}
}

func TestDraftsIgnoreOtherSettings(t *testing.T) {
	t.Parallel()

	options := post.Options{
		UploadToDraft: yes(), AllowComments: no(), AllowDuet: no(), AllowStitch: no(), BrandContent: yes(),
		BrandOrganic: yes(),
	}
	closed := platform.CreatorInfo{CommentDisabled: true, DuetDisabled: true, StitchDisabled: true}
	for _, info := range []platform.CreatorInfo{public(), closed, {}} {
		got, err := tiktok.Settings(options, info)
		require.NoError(t, err, "also for a private account")
		require.Equal(t, tiktok.PostSettings{Draft: true}, got)
	}
}

func TestPrivateAccountsRefusePublicPosts(t *testing.T) {
	t.Parallel()

	for _, levels := range [][]string{
		nil, {}, {"SELF_ONLY"}, {"FOLLOWER_OF_CREATOR", "MUTUAL_FOLLOW_FRIENDS", "SELF_ONLY"},
	} {
		for _, options := range []post.Options{
			{}, {UploadToDraft: no()}, {AllowComments: yes()}, {Privacy: platform.PrivacyPublic},
		} {
			got, err := tiktok.Settings(options, platform.CreatorInfo{PrivacyLevelOptions: levels})
			require.Zero(t, got)
			failure := platformtest.Failure(t, err)
			require.Equal(t, platform.ClassUser, failure.Class)
			require.Equal(t, tiktok.CodePrivateAccount, failure.Code)
			require.Contains(t, failure.Message, "uploadToDraft")
		}
	}
}

func TestPrivacy(t *testing.T) {
	t.Parallel()

	private := platform.CreatorInfo{PrivacyLevelOptions: []string{"FOLLOWER_OF_CREATOR", "SELF_ONLY"}}
	for _, level := range private.PrivacyLevelOptions {
		got, err := tiktok.Settings(post.Options{Privacy: level}, private)
		require.NoError(t, err)
		require.Equal(t, tiktok.PostSettings{PrivacyLevel: level}, got)
	}
	_, err := tiktok.Settings(post.Options{Privacy: platform.PrivacyFriends}, private)
	failure := platformtest.Failure(t, err)
	require.Equal(t, tiktok.CodePrivateAccount, failure.Code)
	require.Contains(t, failure.Message, "Choose one of FOLLOWER_OF_CREATOR, SELF_ONLY")
	got, err := tiktok.Settings(post.Options{Privacy: platform.PrivacySelf, UploadToDraft: yes()}, private)
	require.NoError(t, err)
	require.Equal(t, tiktok.PostSettings{Draft: true}, got)
}

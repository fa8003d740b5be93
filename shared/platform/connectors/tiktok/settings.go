package tiktok

import (
	"slices"

	"socialpub.internal/shared/domain/post"
	"socialpub.internal/shared/platform"
)

// PostSettings holds the settings of one post as sent to TikTok. For a draft, all fields but Draft are zero: its owner
// chooses them in the TikTok app.
type PostSettings struct {
	Draft          bool   // sent to the creator's inbox and completed there
	PrivacyLevel   string // platform.PrivacyPublic, or empty for a draft
	DisableComment bool
	DisableDuet    bool
	DisableStitch  bool
	BrandContent   bool // advertises for a third party
	BrandOrganic   bool // advertises for the creator's own business
}

// Settings derives the settings from the post's options and the account's current permissions, by the three rules of
// the specification (Posts, TikTok rules). A private account accepts only drafts: anything else is a *platform.Failure
// of class user.
func Settings(options post.Options, info platform.CreatorInfo) (PostSettings, error) {
	if isTrue(options.UploadToDraft) {
		return PostSettings{Draft: true}, nil
	}
	if !slices.Contains(info.PrivacyLevelOptions, platform.PrivacyPublic) {
		return PostSettings{}, &platform.Failure{
			Class: platform.ClassUser, Code: CodePrivateAccount,
			Message: "This TikTok account is private and accepts drafts only. Set uploadToDraft, or make the account public " +
				"in the TikTok app, then publish the post again.",
		}
	}
	return PostSettings{
		PrivacyLevel:   platform.PrivacyPublic,
		DisableComment: info.CommentDisabled || isFalse(options.AllowComments),
		DisableDuet:    info.DuetDisabled || isFalse(options.AllowDuet),
		DisableStitch:  info.StitchDisabled || isFalse(options.AllowStitch),
		BrandContent:   isTrue(options.BrandContent),
		BrandOrganic:   isTrue(options.BrandOrganic),
	}, nil
}

// isTrue reports whether the value is set to true, isFalse whether it is set to false.
func isTrue(value *bool) bool  { return value != nil && *value }
func isFalse(value *bool) bool { return value != nil && !*value }

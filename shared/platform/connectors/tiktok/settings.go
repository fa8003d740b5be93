package tiktok

import (
	"slices"

	"socialpub.internal/shared/domain/post"
	"socialpub.internal/shared/platform"
)

// PostSettings are the settings of one post as they are sent to TikTok. Of a draft all but Draft are zero: its owner
// chooses them in the TikTok app.
type PostSettings struct {
	Draft          bool   // goes to the creator's inbox and is finished there
	PrivacyLevel   string // platform.PrivacyPublic, or empty for a draft
	DisableComment bool
	DisableDuet    bool
	DisableStitch  bool
	BrandContent   bool // advertises for somebody else
	BrandOrganic   bool // advertises for the creator's own business
}

// Settings applies the three rules of the specification (Posts, TikTok rules) to what the post says and what its account
// allows at this moment. A private account takes drafts alone: anything else is a *platform.Failure of class user.
func Settings(options post.Options, info platform.CreatorInfo) (PostSettings, error) {
	if isTrue(options.UploadToDraft) {
		return PostSettings{Draft: true}, nil
	}
	if !slices.Contains(info.PrivacyLevelOptions, platform.PrivacyPublic) {
		return PostSettings{}, &platform.Failure{
			Class: platform.ClassUser, Code: CodePrivateAccount,
			Message: "This TikTok account is private and takes drafts only. Set uploadToDraft, or make the account public " +
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

// isTrue reports that yes was said; isFalse, that no was said.
func isTrue(value *bool) bool  { return value != nil && *value }
func isFalse(value *bool) bool { return value != nil && !*value }

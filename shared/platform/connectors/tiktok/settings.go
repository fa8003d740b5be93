package tiktok

import (
	"cmp"
	"slices"
	"strings"

	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/platform"
)

// PostSettings holds the settings of one post as sent to TikTok. For a draft, all fields but Draft are zero: its owner
// chooses them in the TikTok app.
type PostSettings struct {
	Draft          bool   // sent to the creator's inbox and completed there
	PrivacyLevel   string // empty for a draft
	DisableComment bool
	DisableDuet    bool
	DisableStitch  bool
	BrandContent   bool // advertises for a third party
	BrandOrganic   bool // advertises for the creator's own business
	// Cover is the position of the frame that is a video's cover, in milliseconds; nil: the first frame.
	Cover *int64 `json:",omitempty"`
	AI    bool   `json:",omitempty"` // of a video: AI-generated
}

// Settings derives the settings from the post's options and the account's current permissions
// (docs/contract.md, TikTok posts). A post without a privacy is public. An account that does not offer the privacy is a
// *platform.Failure of class user.
func Settings(options post.Options, info platform.CreatorInfo) (PostSettings, error) {
	if isTrue(options.UploadToDraft) {
		return PostSettings{Draft: true}, nil
	}
	level := cmp.Or(options.Privacy, platform.PrivacyPublic)
	if !slices.Contains(info.PrivacyLevelOptions, level) {
		return PostSettings{}, notOffered(level, info)
	}
	return PostSettings{
		PrivacyLevel:   level,
		Cover:          options.ThumbOffset,
		DisableComment: info.CommentDisabled || isFalse(options.AllowComments),
		DisableDuet:    info.DuetDisabled || isFalse(options.AllowDuet),
		DisableStitch:  info.StitchDisabled || isFalse(options.AllowStitch),
		BrandContent:   isTrue(options.BrandContent),
		BrandOrganic:   isTrue(options.BrandOrganic),
		AI:             isTrue(options.AIGenerated),
	}, nil
}

// notOffered returns the failure for a privacy that the account does not offer.
func notOffered(level string, info platform.CreatorInfo) *platform.Failure {
	failure := &platform.Failure{
		Class: platform.ClassUser, Code: CodePrivateAccount,
		Message: "This TikTok account is private: it accepts drafts, and posts with another privacy. Set uploadToDraft, choose " +
			"a privacy, or make the account public in the TikTok app, then publish the post again.",
	}
	if level != platform.PrivacyPublic {
		failure.Message = "This TikTok account does not offer the privacy " + level + ". Choose one of " +
			strings.Join(info.PrivacyLevelOptions, ", ") + ", then publish the post again."
	}
	return failure
}

// limited reports whether only some people see the post.
func (s PostSettings) limited() bool {
	return s.PrivacyLevel != "" && s.PrivacyLevel != platform.PrivacyPublic
}

// isTrue reports whether the value is set to true, isFalse whether it is set to false.
func isTrue(value *bool) bool  { return value != nil && *value }
func isFalse(value *bool) bool { return value != nil && !*value }

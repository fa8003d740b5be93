package tiktok

import (
	"slices"

	"fencepost.internal/shared/platform"
)

// unaudited reports that TikTok restricts the application's posts to their creators.
func (p *Personal) unaudited() bool { return p.config.Audited == "false" }

// restricted leaves the privacy levels that the application may use.
func (p *Personal) restricted(info platform.CreatorInfo) platform.CreatorInfo {
	if p.unaudited() {
		info.PrivacyLevelOptions = slices.DeleteFunc(info.PrivacyLevelOptions,
			func(level string) bool { return level != platform.PrivacySelf })
	}
	return info
}

// restrict returns the content as the application may publish it: without an audit, a post that names no privacy is
// visible to its creator only.
func (p *Personal) restrict(content platform.Content) platform.Content {
	if p.unaudited() && content.Options.Privacy == "" {
		content.Options.Privacy = platform.PrivacySelf
	}
	return content
}

// Gaps returns what the application may not publish before TikTok has audited it.
func (p *Personal) Gaps(content platform.Content) []platform.Finding {
	const why = "TikTok has not audited the application of this service, which publishes drafts, and posts that only their " +
		"creator sees. "
	options := content.Options
	switch {
	case !p.unaudited() || isTrue(options.UploadToDraft) || options.Privacy == platform.PrivacySelf:
		return nil
	case options.Privacy != "":
		return []platform.Finding{{Member: "options/privacy", Message: why + "Choose SELF_ONLY, or set uploadToDraft."}}
	case isTrue(options.BrandContent):
		return []platform.Finding{{
			Member: "options/brandContent", Message: why + "brandContent cannot be used with such a post; remove it.",
		}}
	default:
		return []platform.Finding{{
			Member: "options/privacy", Warning: true, Message: why + "This post will be visible to its creator only.",
		}}
	}
}

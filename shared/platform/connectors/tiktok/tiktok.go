// Package tiktok connects to TikTok. A video is published by the last chunk of its upload (Personal), or like photos by the
// call that has TikTok fetch the files. TikTok reports later what became of it.
//
// TikTok has two unrelated products for publishing, with separate URLs, tokens and formats. The Content Posting API
// serves personal channels (Personal). The Accounts API of TikTok for Business serves business channels (Business).
// Their shared parts are in this file and in settings.go.
//
// Both may return HTTP 200 for a failed call: the body contains the error.
package tiktok

import (
	"errors"
	"regexp"

	"fencepost.internal/shared/platform"
	"fencepost.internal/shared/platform/connectors/internal/httpcall"
)

// postsPerCall is the maximum number of videos per call, in either product.
const postsPerCall = 20

// videoID matches a video's id. Other values are not requested.
var videoID = regexp.MustCompile(`^[0-9]{1,32}$`)

// networkName is TikTok's usual name.
const networkName = "TikTok"

// Codes of TikTok's refusals, in addition to those of the publish protocol.
const (
	CodeRefused        = "REQUEST_REFUSED"
	CodeAccount        = "ACCOUNT_RESTRICTED"
	CodeAppAccess      = "APP_ACCESS_MISSING"
	CodePrivateAccount = "PRIVATE_ACCOUNT"

	CodeContentRefused = "CONTENT_REFUSED"
	CodeUnaudited      = "APP_NOT_AUDITED"
	CodeAppOutdated    = "APP_OUTDATED"
)

var (
	errNoToken = errors.New("the channel has no access token or no account id")
	errNoApp   = errors.New("no key or no secret of the application is configured")
)

// Limits of values taken from a response.
const (
	longestNickname = 100
	mostPrivacies   = 16
)

var privacyPattern = regexp.MustCompile(`^[A-Z][A-Z_]{0,63}$`)

// allowance holds what an account allows, in the format that both products use.
type allowance struct {
	Privacies       []string `json:"privacy_level_options"`
	CommentDisabled bool     `json:"comment_disabled"`
	DuetDisabled    bool     `json:"duet_disabled"`
	StitchDisabled  bool     `json:"stitch_disabled"`
	MaxDurationSec  int      `json:"max_video_post_duration_sec"`
}

func (a allowance) info() platform.CreatorInfo {
	privacies := []string{}
	for _, level := range a.Privacies {
		if privacyPattern.MatchString(level) && len(privacies) < mostPrivacies {
			privacies = append(privacies, level)
		}
	}
	return platform.CreatorInfo{
		PrivacyLevelOptions: privacies, CommentDisabled: a.CommentDisabled, DuetDisabled: a.DuetDisabled,
		StitchDisabled: a.StitchDisabled, MaxVideoDurationSec: a.MaxDurationSec,
	}
}

// nickname returns the first name that is not empty.
func nickname(names ...string) string {
	for _, each := range names {
		if text := httpcall.Text(each, longestNickname); text != "" {
			return text
		}
	}
	return ""
}

func usable(account platform.Account) bool {
	return account.Credentials.AccessToken != "" && account.ExternalID != ""
}

// appAccess returns the failure of a call that TikTok refuses for this service as a whole.
func appAccess(client *httpcall.Client, cause error) *platform.Failure {
	return client.Fail(platform.ClassOperator, CodeAppAccess, cause,
		"TikTok does not grant this service the required access. Its operator has to act; then try again.")
}

// refused returns the failure of a call that TikTok refuses without a more specific reason.
func refused(client *httpcall.Client, cause error) *platform.Failure {
	return client.Fail(platform.ClassRejected, CodeRefused, cause, "TikTok refused the request.")
}

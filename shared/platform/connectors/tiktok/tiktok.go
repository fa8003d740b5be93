// Package tiktok connects to TikTok.
//
// TikTok has two unrelated products for publishing, with addresses, tokens and forms of their own: the Content Posting
// API, which serves personal channels (Personal), and the Accounts API of TikTok for Business, which serves business
// channels (Business). What both have in common stands here and in settings.go.
//
// Both may answer HTTP 200 to a call that failed: the body tells.
package tiktok

import (
	"errors"
	"regexp"

	"socialpub.internal/shared/platform"
	"socialpub.internal/shared/platform/connectors/internal/httpcall"
)

// postsPerCall is how many films either product shows at once.
const postsPerCall = 20

// videoID is the shape of a film's id. Anything else in its place is not asked for.
var videoID = regexp.MustCompile(`^[0-9]{1,32}$`)

// networkName is TikTok's name as people write it.
const networkName = "TikTok"

// Codes that TikTok's refusals get beside those of the publish protocol.
const (
	CodeRefused        = "REQUEST_REFUSED"
	CodeAccount        = "ACCOUNT_RESTRICTED"
	CodeAppAccess      = "APP_ACCESS_MISSING"
	CodePrivateAccount = "PRIVATE_ACCOUNT"
)

var (
	errNoToken        = errors.New("the channel has no access token or no account id")
	errNoRefreshToken = errors.New("the channel has no refresh token")
	errNoApp          = errors.New("no key or no secret of the application is configured")
)

// Bounds of what is taken from an answer.
const (
	longestNickname = 100
	mostPrivacies   = 16
)

var privacyPattern = regexp.MustCompile(`^[A-Z][A-Z_]{0,63}$`)

// allowance is what an account allows, in the words that both products use.
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

// nickname is the first of the names that says something.
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

// appAccess is the failure of a call that TikTok refuses to this service as a whole.
func appAccess(client *httpcall.Client, cause error) *platform.Failure {
	return client.Fail(platform.ClassOperator, CodeAppAccess, cause,
		"TikTok does not give this service the access that is needed. Its operator has to act; then try again.")
}

// refused is the failure of a call that TikTok refuses without a reason that has a class of its own.
func refused(client *httpcall.Client, cause error) *platform.Failure {
	return client.Fail(platform.ClassRejected, CodeRefused, cause, "TikTok refused the request.")
}

package operator

import (
	"cmp"
	"encoding/json"
	"strings"
	"time"

	"fencepost.internal/shared/domain/channel"
)

// ParseTokens reads the content of a token file: an access token, or the JSON that the network's token endpoint
// returned at the given time. The JSON also has the refresh token, the ends of both and the granted scopes. It returns
// false if the content is JSON without an access token.
func ParseTokens(content string, at time.Time) (channel.Credentials, bool) {
	if !strings.HasPrefix(content, "{") {
		return channel.Credentials{AccessToken: content}, true
	}
	var response tokenResponse
	if json.Unmarshal([]byte(content), &response) != nil {
		return channel.Credentials{}, false
	}
	if response.Data != nil && response.AccessToken == "" { // TikTok API for Business
		response = *response.Data
	}
	c := channel.Credentials{
		AccessToken:      cmp.Or(response.AccessToken, response.AccessJWT),
		RefreshToken:     cmp.Or(response.RefreshToken, response.RefreshJWT),
		Scope:            response.scope(),
		ExpiresAt:        after(at, response.ExpiresIn),
		RefreshExpiresAt: after(at, cmp.Or(response.RefreshTokenExpiresIn, response.RefreshExpiresIn)),
	}
	if !at.IsZero() {
		c.IssuedAt = at
	}
	return c, c.AccessToken != ""
}

// tokenResponse holds the fields of the networks' token responses (RFC 6749 §5.1, and extensions).
type tokenResponse struct {
	AccessToken           string          `json:"access_token"`
	RefreshToken          string          `json:"refresh_token"`
	ExpiresIn             float64         `json:"expires_in"`
	RefreshExpiresIn      float64         `json:"refresh_expires_in"`       // TikTok
	RefreshTokenExpiresIn float64         `json:"refresh_token_expires_in"` // Google, LinkedIn, Pinterest, TikTok Business
	AccessJWT             string          `json:"accessJwt"`                // Bluesky
	RefreshJWT            string          `json:"refreshJwt"`               // Bluesky
	Scope                 json.RawMessage `json:"scope"`
	Data                  *tokenResponse  `json:"data"`
}

// scope returns the granted scopes, separated by spaces. Networks separate them by spaces or commas, or return a list.
func (r tokenResponse) scope() string {
	var text string
	var list []string
	if json.Unmarshal(r.Scope, &text) != nil && json.Unmarshal(r.Scope, &list) != nil {
		return ""
	}
	return strings.Join(append(list, strings.FieldsFunc(text, func(r rune) bool { return r == ' ' || r == ',' })...), " ")
}

// after returns the end of a lifetime in seconds; zero if the response has none.
func after(at time.Time, seconds float64) time.Time {
	const longest = 10 * 365 * 24 * time.Hour
	if seconds <= 0 || seconds > longest.Seconds() {
		return time.Time{}
	}
	return at.Add(time.Duration(seconds) * time.Second).UTC().Truncate(time.Millisecond)
}

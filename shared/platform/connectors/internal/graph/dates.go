package graph

import (
	"cmp"
	"context"
	"net/http"
	"net/url"
	"strings"
	"time"

	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/platform"
	"fencepost.internal/shared/platform/connectors/internal/httpcall"
)

// CodeAppAccess is the code of a refusal to report the dates of a token to this service.
const CodeAppAccess = "APP_ACCESS_MISSING"

// readEvery is the interval at which the dates of a Page's token are read. The user may extend the data access at any
// time by using the application.
const readEvery = 7 * 24 * time.Hour

// AppToken returns the access token of an application, or an empty one if its id or secret is missing.
func AppToken(id, secret string) string {
	if id == "" || secret == "" {
		return ""
	}
	return id + "|" + secret
}

// PageTerm returns the term of a Page's token, which does not expire but loses its access to data. Its dates are read
// at once and then every week.
func PageTerm(c channel.Credentials) platform.Term {
	term := platform.Term{RenewBefore: c.StoredAt.Add(readEvery), EndsAt: earliest(c.ExpiresAt, c.DataAccessEndsAt)}
	if c.IssuedAt.IsZero() {
		term.RenewBefore = c.StoredAt.Add(time.Minute)
	}
	return term
}

func earliest(a, b time.Time) time.Time {
	if a.IsZero() || !b.IsZero() && b.Before(a) {
		return b
	}
	return a
}

// Dates reads the dates of tokens of the Graph API.
type Dates struct {
	Client   *httpcall.Client
	Version  string
	AppToken string // empty: each token reads its own dates
	// Class classifies an error response.
	Class func(httpcall.Response) *platform.Failure
}

// Read returns the credentials with the dates that Facebook reports for their access token
// (https://developers.facebook.com/docs/graph-api/reference/debug_token). A token that Facebook reports as invalid
// needs a user.
func (d Dates) Read(ctx context.Context, held channel.Credentials) (channel.Credentials, error) {
	reader := d.AppToken
	reader = cmp.Or(reader, held.AccessToken)
	_, secret, _ := strings.Cut(d.AppToken, "|")
	request := httpcall.Request{
		Operation: "refresh", Path: []string{d.Version, "debug_token"},
		Query:   url.Values{"input_token": {held.AccessToken}},
		Header:  http.Header{"Authorization": {"Bearer " + reader}},
		Secrets: []string{held.AccessToken, reader},
	}
	if secret != "" {
		request.Secrets = append(request.Secrets, secret)
	}
	response, err := d.Client.Call(ctx, request)
	if err != nil {
		return channel.Credentials{}, err
	}
	if !response.OK() {
		return channel.Credentials{}, d.failure(response)
	}
	var result struct {
		Data struct {
			AppID        string         `json:"app_id"`
			IsValid      *bool          `json:"is_valid"`
			IssuedAt     int64          `json:"issued_at"`
			ExpiresAt    int64          `json:"expires_at"`
			DataAccessAt int64          `json:"data_access_expires_at"`
			Scopes       httpcall.Scope `json:"scopes"`
		} `json:"data"`
	}
	if err := response.Decode(&result); err != nil || result.Data.IsValid == nil {
		return channel.Credentials{}, d.Client.Unclear(response, "no dates of a token")
	}
	if !*result.Data.IsValid {
		return channel.Credentials{}, d.Client.Reconnect(response.Cause("the token is reported as invalid"))
	}
	fresh := held
	fresh.IssuedAt, fresh.ExpiresAt = instant(result.Data.IssuedAt), instant(result.Data.ExpiresAt)
	fresh.DataAccessEndsAt = instant(result.Data.DataAccessAt)
	fresh.Scope, fresh.ClientID = string(result.Data.Scopes), result.Data.AppID
	return fresh, nil
}

// failure classifies an error response. A refused token is the one that reads, so that only a token that reads itself
// is lost.
func (d Dates) failure(response httpcall.Response) *platform.Failure {
	failure := d.Class(response)
	switch failure.Class {
	case platform.ClassRefresh, platform.ClassReconnect:
		if d.AppToken == "" && ErrorOf(response).Code == codeToken {
			return d.Client.Reconnect(failure.Cause)
		}
		fallthrough
	case platform.ClassRejected:
		return d.Client.Fail(platform.ClassOperator, CodeAppAccess, failure.Cause,
			"Facebook does not report the dates of this connection to this service. Its operator has to configure the "+
				"application.")
	case platform.ClassUser: // a check at Facebook, which says nothing about the token
		return d.Client.Unavailable(failure.Cause)
	case platform.ClassTransient, platform.ClassRateLimited, platform.ClassOperator, platform.ClassUnknown:
	}
	return failure
}

// instant returns the time of a Unix second; zero for a time that does not exist.
func instant(seconds int64) time.Time {
	if seconds <= 0 {
		return time.Time{}
	}
	return time.Unix(seconds, 0).UTC()
}

// Package oauth contains the parts of connecting an account that most networks share: the address of the authorization
// page, and the call that exchanges its code.
package oauth

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"strings"

	"fencepost.internal/shared/platform"
	"fencepost.internal/shared/platform/connectors/internal/httpcall"
)

const codeAppAccess = "APP_ACCESS_MISSING"

var errNoClient = errors.New("no id or no secret of the application is configured")

// Application identifies this service to a network.
type Application struct {
	ID, Secret string
}

// Dialog describes a network's authorization page.
type Dialog struct {
	Page      string // absolute URL
	ClientID  string
	ClientKey string // name of the parameter; client_id if empty
	Scopes    []string
	Separator string // of the scopes; a space if empty
	PKCE      bool   // the network verifies a code challenge
	More      map[string]string
}

// URL returns the address to which a person is sent.
func (d Dialog) URL(consent platform.Consent) (platform.Authorization, error) {
	page, err := url.Parse(d.Page)
	if err != nil {
		return platform.Authorization{}, err
	}
	query := page.Query()
	query.Set(cmp.Or(d.ClientKey, "client_id"), d.ClientID)
	query.Set("response_type", "code")
	query.Set("redirect_uri", consent.Redirect)
	query.Set("state", consent.State)
	query.Set("scope", strings.Join(d.Scopes, cmp.Or(d.Separator, " ")))
	if d.PKCE {
		query.Set("code_challenge", consent.Challenge)
		query.Set("code_challenge_method", "S256")
	}
	for name, value := range d.More {
		query.Set(name, value)
	}
	// A space is encoded as %20, because not every network decodes a plus sign.
	page.RawQuery = strings.ReplaceAll(query.Encode(), "+", "%20")
	return platform.Authorization{URL: page.String()}, nil
}

// Form returns the standard parameters of the exchange (RFC 6749 §4.1.3), without a client.
func Form(code platform.Code) url.Values {
	return url.Values{
		"grant_type": {"authorization_code"}, "code": {Clean(code.Code)}, "redirect_uri": {code.Redirect},
	}
}

// Clean removes the fragment that Meta's networks append to a code.
func Clean(code string) string { return strings.TrimSuffix(code, "#_") }

// App returns a Failure if the id or the secret of the application is missing.
func App(client *httpcall.Client, values ...string) error {
	for _, value := range values {
		if value == "" {
			return client.Fail(platform.ClassOperator, platform.CodeAppMissing, errNoClient,
				"The operator has not configured an application for %s.", client.Name())
		}
	}
	return nil
}

// Exchange makes a call that exchanges a code or a token, and decodes the response into a value.
func Exchange(ctx context.Context, client *httpcall.Client, request httpcall.Request, into any) (httpcall.Response, error) {
	request.Operation = "connect"
	if request.Method == "" && (request.Form != nil || request.JSON != nil) {
		request.Method = http.MethodPost
	}
	response, err := client.Call(ctx, request)
	if err != nil {
		return response, err
	}
	if !response.OK() {
		return response, Refused(client, response)
	}
	if response.Decode(into) != nil {
		return response, client.Unclear(response, "no tokens in the response")
	}
	return response, nil
}

// Revoke makes a call that ends a token. Its success has no content that counts (RFC 7009 §2.2), and often none at all;
// some networks send an error with status 200.
func Revoke(ctx context.Context, client *httpcall.Client, request httpcall.Request) error {
	request.Operation = "connect"
	request.Method = cmp.Or(request.Method, http.MethodPost)
	response, err := client.Call(ctx, request)
	if err == nil && (!response.OK() || problem(response) != "") {
		return Refused(client, response)
	}
	return err
}

// problem is an error of a token endpoint: of RFC 6749 §5.2, or of Meta or others, whose error is an object.
func problem(response httpcall.Response) string {
	var result struct {
		Error json.RawMessage `json:"error"`
	}
	var code string
	if response.Decode(&result) == nil {
		_ = json.Unmarshal(result.Error, &code) // an object leaves it empty
	}
	return code
}

// metaSecret begins Meta's refusal of an application's secret. The codes beside it have several
// meanings.
const metaSecret = "Error validating client secret"

// Refused classifies an error response to an exchange. A refusal concerns the person's code, unless the response says
// that it concerns the application.
func Refused(client *httpcall.Client, response httpcall.Response) *platform.Failure {
	status, cause := response.Status, response.Cause("refused")
	switch problem(response) {
	case "invalid_client", "unauthorized_client", "deleted_client", "disabled_client":
		return AppRefused(client, cause)
	}
	switch {
	case status >= 400 && status < 500 && bytes.Contains(response.Body, []byte(metaSecret)):
		return AppRefused(client, cause)
	case status == http.StatusTooManyRequests:
		return client.RateLimited(client.RetryAfter(response.Header), cause)
	case status < 400, status >= 500, status == http.StatusRequestTimeout:
		return client.Unclear(response, "no clear refusal")
	case status == http.StatusUnauthorized:
		return AppRefused(client, cause)
	default:
		return CodeRefused(client, cause)
	}
}

// AppRefused returns the failure for a refusal of this service's application.
func AppRefused(client *httpcall.Client, cause error) *platform.Failure {
	return client.Fail(platform.ClassOperator, codeAppAccess, cause,
		"%s does not accept this service's application. The operator has to check its id and secret.", client.Name())
}

// CodeRefused returns the failure for a refusal of a person's code.
func CodeRefused(client *httpcall.Client, cause error) *platform.Failure {
	return client.Fail(platform.ClassUser, platform.CodeConsentRefused, cause,
		"%s did not accept the code of the authorization, which works once and for a short time. Connect the account again.",
		client.Name())
}

// Page returns a URL of the network's web pages: below the official host if the API is the official one, and otherwise
// below the API, which replaces the network and serves its own pages.
func Page(api, officialAPI, officialWeb, path string) string {
	if api == officialAPI {
		return officialWeb + path
	}
	return api + path
}

// Package live runs a connector against a real network and records the responses as contract fixtures, without secrets
// and personal data. It is opt-in: it needs the tokens of a test account, and publishes only if asked to.
package live

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"

	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/kernel/clock"
	"fencepost.internal/shared/kernel/ident"
	"fencepost.internal/shared/platform"
	"fencepost.internal/shared/platform/connectors"
	"fencepost.internal/shared/platform/platformtest"
)

// Config describes a run.
type Config struct {
	Account     platform.Account // with its type
	Environment connectors.Environment
	Secrets     []string // further values that no fixture may contain: secrets of the application
	// Upstreams is the network's URL by path prefix on the sandbox network; Official if nil.
	Upstreams map[string]string
	Folder    string // receives the fixtures, such as shared/platform/connectors/x/testdata/contract
	Publish   bool   // publishes a post of text, and looks it up
	Clock     clock.Clock
	Out       io.Writer // receives a line for each step
}

// Official returns the URLs of the real networks by their path prefixes on the sandbox network.
func Official() map[string]string {
	return map[string]string{ //nolint:gosec // G101: addresses of token endpoints
		"/x": "https://api.x.com", "/threads": "https://graph.threads.net", "/telegram": "https://api.telegram.org",
		"/bluesky": "https://bsky.social", "/mastodon": "https://mastodon.social",
		"/linkedin": "https://api.linkedin.com", "/linkedin/oauth": "https://www.linkedin.com/oauth",
		"/facebook": "https://graph.facebook.com", "/instagram": "https://graph.instagram.com",
		"/googlebusiness":             "https://mybusiness.googleapis.com",
		"/googlebusiness/performance": "https://businessprofileperformance.googleapis.com",
		"/googlebusiness/token":       "https://oauth2.googleapis.com/token",
		"/pinterest":                  "https://api.pinterest.com",
		"/tiktok":                     "https://open.tiktokapis.com",
		"/tiktok-business":            "https://business-api.tiktok.com",
		"/youtube":                    "https://www.googleapis.com/youtube/v3",
		"/youtube/analytics":          "https://youtubeanalytics.googleapis.com/v2",
		"/youtube/token":              "https://oauth2.googleapis.com/token",
	}
}

// publishedText is the text of the published post. Its time makes it unlike earlier ones, which some networks refuse.
const publishedText = "Test of the connector at "

// errNoAccount is returned for an incomplete configuration.
var errNoAccount = errors.New(
	"live: an account with its type, id and access token, a folder, a clock and an output are needed")

// run is one run of the suite.
type run struct {
	Config

	recorder  *recorder
	sanitizer *sanitizer
	link      platform.Link
	text      string
}

// Run runs the suite: it identifies the account, identifies it with a token that does not exist, and, if asked to,
// publishes a post and looks it up. Each step becomes a fixture, whose result is that of the connector.
func Run(ctx context.Context, cfg Config) error {
	account := cfg.Account
	if account.Type == "" || account.ExternalID == "" || account.Credentials.AccessToken == "" || cfg.Folder == "" ||
		cfg.Clock == nil || cfg.Out == nil {
		return errNoAccount
	}
	if cfg.Upstreams == nil {
		cfg.Upstreams = Official()
	}
	recorder, err := record(cfg.Upstreams)
	if err != nil {
		return fmt.Errorf("live: start the recorder: %w", err)
	}
	defer recorder.close()
	cfg.Environment.SandboxURL = recorder.url
	registry, err := connectors.New(cfg.Environment, cfg.Clock, 0)
	if err != nil {
		return err
	}
	link, ok := registry.Link(channel.Channel{Type: account.Type})
	if !ok {
		return fmt.Errorf("live: this build has no connection to channels of the type %s", account.Type)
	}
	r := &run{Config: cfg, recorder: recorder, sanitizer: newSanitizer(), link: link}
	r.text = publishedText + cfg.Clock.Now().UTC().Format(time.RFC3339Nano)
	r.hideAccount()
	return r.steps(ctx)
}

// hideAccount lists the values to replace. The account's id gets the form that the contract tests use.
func (r *run) hideAccount() {
	s, account := r.sanitizer, r.Account
	token := "access-token"
	if strings.Contains(account.Credentials.AccessToken, ":") {
		token = "1:" + token // Telegram's form, which its connector requires
	}
	s.hide(account.Credentials.AccessToken, token)
	s.hide(account.Credentials.RefreshToken, "refresh-token")
	for _, secret := range r.Secrets {
		s.hide(secret, "secret")
	}
	s.hide(account.Username, "acme")
	id := account.ExternalID
	s.hide(id[strings.LastIndexAny(id, "/:@")+1:], "42")
	s.hide(r.text, platformtest.ContractText)
}

func (r *run) steps(ctx context.Context) error {
	err := r.step("identify", "identify", func() (platformtest.FixtureResult, error) {
		found, err := r.link.Identify(ctx, r.Account)
		return platformtest.FixtureResult{ID: found.ID}, err
	})
	if err != nil {
		return err
	}
	unknown := r.Account
	unknown.Credentials.AccessToken = "999999:" + strings.Repeat("x", 35) // no network has issued it
	err = r.step("identify-refused", "identify", func() (platformtest.FixtureResult, error) {
		found, err := r.link.Identify(ctx, unknown)
		return platformtest.FixtureResult{ID: found.ID}, err
	})
	connector, publishes := r.link.(platform.Connector)
	if err != nil || !r.Publish || !publishes {
		return err
	}
	return r.publish(ctx, connector)
}

// publish publishes a post of text and looks it up.
func (r *run) publish(ctx context.Context, connector platform.Connector) error {
	content := platform.Content{PostID: ident.New[ident.Post](), ContentType: post.ContentPost, Text: r.text}
	handle, err := ready(ctx, connector, r.Account, content)
	if err != nil {
		return fmt.Errorf("live: prepare the post: %w", err)
	}
	r.recorder.take() // the preparation is not a fixture
	at := r.Clock.Now()
	err = r.step("publish", "publish", func() (platformtest.FixtureResult, error) {
		created, err := connector.Commit(ctx, r.Account, content, handle)
		return platformtest.FixtureResult{ID: created.ExternalID, InReview: created.InReview}, err
	})
	if err != nil || connector.Strength() != platform.ReconcileMatch {
		return err
	}
	return r.step("reconcile", "reconcile", func() (platformtest.FixtureResult, error) {
		evidence, found, err := connector.Reconcile(ctx, r.Account, content, platform.Sent{Text: r.text, At: at})
		return platformtest.FixtureResult{
			ID: found.ExternalID, InReview: found.InReview, Evidence: platformtest.EvidenceWord(evidence),
		}, err
	})
}

// ready prepares the post.
func ready(
	ctx context.Context, connector platform.Connector, account platform.Account, content platform.Content,
) (platform.Handle, error) {
	const longest = 30
	var handle platform.Handle
	for range longest {
		preparation, err := connector.Prepare(ctx, account, content, handle)
		if err != nil || preparation.Ready {
			return preparation.Handle, err
		}
		handle = preparation.Handle
		select {
		case <-ctx.Done():
			return "", ctx.Err()
		case <-time.After(preparation.Wait):
		}
	}
	return "", errors.New("the network did not finish in time")
}

// step makes a call, and writes its response as a fixture.
func (r *run) step(name, call string, do func() (platformtest.FixtureResult, error)) error {
	result, err := do()
	if err != nil {
		failure := platform.FailureOf(err)
		result = platformtest.FixtureResult{Class: failure.Class, Code: failure.Code}
	}
	exchanges := r.recorder.take()
	_, _ = fmt.Fprintf(r.Out, "%s: %d calls, %s\n", name, len(exchanges), described(result))
	if len(exchanges) == 0 {
		return fmt.Errorf("live: %s made no call: %w", name, err)
	}
	return r.write(name, call, exchanges, result)
}

func described(result platformtest.FixtureResult) string {
	if result.Class != "" {
		return string(result.Class) + " " + result.Code
	}
	return "success"
}

// write writes a fixture. The first call gets the response of the fixture, and the others are listed.
func (r *run) write(name, call string, exchanges []exchange, result platformtest.FixtureResult) error {
	fixture := platformtest.Fixture{
		Source:  "recorded by make live on " + r.Clock.Now().UTC().Format(time.DateOnly) + ", sanitized",
		Licence: "own recording", Kind: "recorded", Call: call, Now: r.Clock.Now().UTC(),
		Response: r.response(exchanges[0]), Want: r.wanted(result),
	}
	for _, other := range exchanges[1:] {
		if fixture.Others == nil {
			fixture.Others = make(map[string][]platformtest.FixtureResponse)
		}
		key := other.method + " " + r.sanitizer.masked(r.sanitizer.text(other.path))
		fixture.Others[key] = append(fixture.Others[key], r.response(other))
	}
	text, err := json.MarshalIndent(fixture, "", "  ")
	if err != nil {
		return fmt.Errorf("live: encode the fixture: %w", err)
	}
	if err := r.sanitizer.checked(text); err != nil {
		return err
	}
	const folderMode, fileMode = 0o750, 0o600
	if err := os.MkdirAll(r.Folder, folderMode); err != nil {
		return fmt.Errorf("live: %w", err)
	}
	return os.WriteFile(filepath.Join(r.Folder, "live-"+name+".json"), append(text, '\n'), fileMode)
}

func (r *run) response(e exchange) platformtest.FixtureResponse {
	response := platformtest.FixtureResponse{Status: e.status, Header: r.sanitizer.headers(e.header)}
	if e.status == http.StatusOK {
		response.Status = 0
	}
	maps.DeleteFunc(response.Header, func(_, value string) bool { return value == "" })
	if body, ok := r.sanitizer.body(e.body); ok {
		response.Body = body
	} else if len(e.body) > 0 {
		response.Text = "<html>not JSON, not kept</html>"
	}
	return response
}

// wanted replaces the values of the result like those of the response.
func (r *run) wanted(result platformtest.FixtureResult) platformtest.FixtureResult {
	result.ID = r.sanitizer.masked(r.sanitizer.text(result.ID))
	return result
}

// TypeOf returns the channel type of this name, or the only type of the network of this name.
func TypeOf(name string) (channel.Type, error) {
	var found []channel.Type
	for _, t := range channel.Types() {
		if strings.EqualFold(string(t), name) {
			return t, nil
		}
		if strings.EqualFold(string(t.Network()), name) {
			found = append(found, t)
		}
	}
	if len(found) != 1 {
		return "", fmt.Errorf("live: %q names %d types of channels: %v", name, len(found), found)
	}
	return found[0], nil
}

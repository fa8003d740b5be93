package faults_test

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/stretchr/testify/require"

	fencepost "fencepost.internal/sdk/go"
	"fencepost.internal/services/e2e/faults/lab"
	"fencepost.internal/services/e2e/harness"
	"fencepost.internal/shared/domain/channel"
)

// askable reports, for each channel type with publishing, whether its network can be queried for the outcome of a post.
func askable() map[channel.Type]bool {
	return map[channel.Type]bool{
		channel.Twitter: true, channel.Threads: true, channel.TelegramChannel: false, channel.LinkedInPage: true,
		channel.LinkedInProfile: false, channel.InstagramProfessional: true, channel.FacebookPage: true,
		channel.GoogleBusiness: true,
	}
}

// wrongResponses returns the faults that distort the response to a call that was performed.
func wrongResponses() []string {
	return []string{
		"error_after_accept", "empty_answer", "malformed_answer", "truncated_answer", "html_answer", "huge_answer",
		"wrong_types",
		"hostile_answer",
	}
}

// met is a post on its own account, with the fault that affects it.
type met struct {
	lab.Accepted

	kind, step string
}

// TestF14InvalidResponses distorts every network's response to the publishing call and to the calls before it.
func TestF14InvalidResponses(t *testing.T) {
	l := lab.Begin(t, lab.Fault{
		ID: "F14", Title: "200 with an error, malformed, truncated, HTML, 50 MB, wrong types, hostile ids, on every network",
		Expect: "I1 I2 I4: as F12; no hostile content is stored; no crash",
	})
	l.Run(2)
	picture := l.Upload("picture.jpg", "image/jpeg", harness.Picture(t, 1)).ID
	var all []met
	for typ := range askable() {
		for _, kind := range append(wrongResponses(), "reject_with_200") {
			all = append(all, meets(t, l, typ, kind, "commit", picture))
		}
	}
	for _, typ := range []channel.Type{channel.Threads, channel.InstagramProfessional} {
		for _, kind := range append(wrongResponses(), "reject_with_200") {
			all = append(all, meets(t, l, typ, kind, "create", picture))
		}
	}
	l.Injected("%d wrong responses on %d kinds of channels", len(all), len(askable()))
	l.Settle(90 * time.Second)
	requireTaken(t, l)
	for _, m := range all {
		requireTrueEnd(t, l, m)
	}
	l.Check()
	for _, p := range l.Processes() {
		require.Equal(t, 1, p.Starts(), "%s crashed", p.Name())
	}
}

// meets connects an account on which the step's response is distorted once, and publishes a post there.
func meets(t *testing.T, l *lab.Lab, typ channel.Type, kind, step, picture string) met {
	t.Helper()
	c := connect(l, typ, strings.ReplaceAll(kind, "_", "")+step)
	l.Sandbox.Inject(harness.Fault{Platform: string(typ.Network()), Account: c.ExternalID, Step: step, Kind: kind})
	var media []string
	if typ == channel.InstagramProfessional {
		media = append(media, picture)
	}
	a := acceptText(t, l, c, fmt.Sprintf("F14 %s meets %s on %s", step, kind, typ), time.Now().Add(time.Second), media...)
	return met{Accepted: a, kind: kind, step: step}
}

// requireTaken checks that every fault was applied.
func requireTaken(t *testing.T, l *lab.Lab) {
	t.Helper()
	require.Empty(t, l.Sandbox.Waiting(), "faults that no call met")
}

// requireTrueEnd compares the post with the network's ledger.
func requireTrueEnd(t *testing.T, l *lab.Lab, m met) {
	t.Helper()
	p, onNetwork := l.Get(m.ID), l.Sandbox.Count(m.Text)
	if p.Status == fencepost.PostStatusPublished {
		require.Equal(t, 1, onNetwork, m.Text)
		if m.Type == channel.LinkedInProfile && p.PostURL == nil {
			return // the network accepted the post without returning its id, and has no other way to look it up
		}
		require.NotNil(t, p.PostURL, "%s has no address", m.Text)
		requireHarmless(t, *p.PostURL, m.Text)
		return
	}
	require.NotNil(t, p.Error)
	failure := *p.Error
	t.Logf("%s: %s (%s), %d on the network", m.Text, failure.Code, failure.Message, onNetwork)
	switch {
	case m.kind == "reject_with_200":
		require.Zero(t, onNetwork, "%s: %+v", m.Text, failure)
	case askable()[m.Type]:
		require.Fail(t, "it is not PUBLISHED", "%s: %+v", m.Text, failure)
	default:
		require.Equal(t, "OUTCOME_UNKNOWN", failure.Code, m.Text)
		require.False(t, failure.Retryable, m.Text)
	}
	require.LessOrEqual(t, len(failure.Message), 500, "a network's words are not ours")
	require.NotContains(t, failure.Message, "<script>")
}

// requireHarmless checks that an address shown to users is a valid http or https URL.
func requireHarmless(t *testing.T, address, text string) {
	t.Helper()
	parsed, err := url.Parse(address)
	require.NoError(t, err, text)
	require.Contains(t, []string{"http", "https"}, parsed.Scheme, "%s: %s", text, address)
	require.NotEmpty(t, parsed.Host, "%s: %s", text, address)
	require.NotContains(t, address, "script", text)
	require.False(t, strings.ContainsFunc(address, unicode.IsControl), "%s: %q", text, address)
}

// TestF14WrongResponsesToReaders distorts the responses of the networks that are only read. The API must respond with a
// problem or with correct data.
func TestF14WrongResponsesToReaders(t *testing.T) {
	l := lab.Begin(t, lab.Fault{
		ID: "F14", Title: "boards and creator info with malformed responses",
		Expect: "I4 I12: 503 or correct data, never 500; a post waits and is published afterwards",
	})
	l.Run(1)
	boards, creator := l.Channels[channel.Pinterest].ID.String(), l.Channels[channel.TikTokPersonal].ID.String()
	// a valid response is cached for a while
	for _, kind := range append([]string{"reject_with_200"}, wrongResponses()...) {
		for _, platform := range []string{"pinterest", "tiktok"} {
			l.Sandbox.Inject(harness.Fault{Platform: platform, Step: "status", Kind: kind})
		}
		requireHonest(t, l, "/v1/channels/"+boards+"/pinterest/boards", "pinterest meets "+kind)
		requireHonest(t, l, "/v1/channels/"+creator+"/tiktok/creator-info", "tiktok meets "+kind)
		requireTaken(t, l)
	}
	l.Injected("%d wrong responses on readers", 2*len(wrongResponses())+2)
	l.Healed()
	l.Accept(2, time.Now().Add(time.Second), 0)
	l.Settle(20 * time.Second)
	l.Check()
}

func requireHonest(t *testing.T, l *lab.Lab, path, what string) {
	t.Helper()
	status, body := l.Send(l.Key, http.MethodGet, path, "")
	require.Contains(t, []int{http.StatusOK, http.StatusServiceUnavailable, http.StatusBadGateway}, status, "%s: %s", what,
		body)
	require.NotContains(t, string(body), "javascript:", what)
	require.NotContains(t, string(body), "Set-Cookie", what)
	t.Logf("%s: %d %.120s", what, status, body)
}

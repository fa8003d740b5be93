package oauth_test

import (
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/credential"
	"fencepost.internal/shared/domain/oauth"
	"fencepost.internal/shared/kernel/ident"
)

func TestUserCodesAreTypedInAnyForm(t *testing.T) {
	t.Parallel()
	codes := make(map[string]bool)
	for range 100 {
		code := oauth.NewUserCode()
		require.Regexp(t, `^[B-DF-HJ-NP-TV-XZ]{4}-[B-DF-HJ-NP-TV-XZ]{4}$`, code)
		codes[code] = true
		want, ok := oauth.HashUserCode(code)
		require.True(t, ok)
		for _, typed := range []string{strings.ToLower(code), strings.ReplaceAll(code, "-", ""), " " + strings.ReplaceAll(code, "-", " ") + "\t"} {
			got, ok := oauth.HashUserCode(typed)
			require.True(t, ok, typed)
			require.Equal(t, want, got, typed)
		}
	}
	require.Greater(t, len(codes), 98, "codes are random")
	for _, typed := range []string{"", "BCDF", "BCDF-GHJKL", "BCDA-GHJK", "BCDF-GHJ1", "BCDF-GHJ\u212a"} {
		_, ok := oauth.HashUserCode(typed)
		require.False(t, ok, typed)
	}
}

func TestReadDevice(t *testing.T) {
	t.Parallel()
	client := oauth.Client{ID: "cli"}
	device, err := rules().ReadDevice(client, "posts:write", nil)
	require.NoError(t, err)
	require.Equal(t, oauth.Device{
		ClientID: "cli", Scopes: []credential.Scope{credential.PostsWrite}, Resource: issuer, Interval: oauth.DeviceInterval,
	}, device)
	_, err = rules().ReadDevice(client, "posts:burn", nil)
	require.Equal(t, oauth.InvalidScope, codeOf(t, err))
	_, err = rules().ReadDevice(client, "", []string{"https://other.example.com"})
	require.Equal(t, oauth.InvalidTarget, codeOf(t, err))
	require.Equal(t, oauth.InvalidRequest, codeOf(t, oauth.OnceEach(url.Values{"scope": {"a", "b"}}, "client_id", "scope")))
	require.NoError(t, oauth.OnceEach(url.Values{"scope": {"a"}, "other": {"a", "b"}}, "client_id", "scope"))
}

// TestPollOfDevice polls in each state of a request.
func TestPollOfDevice(t *testing.T) {
	t.Parallel()
	start := time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC)
	client := oauth.Client{ID: "cli"}
	fresh := oauth.Device{ClientID: "cli", CreatedAt: start, ExpiresAt: start.Add(oauth.DeviceLife), Interval: oauth.DeviceInterval}
	with := func(change func(d *oauth.Device)) oauth.Device {
		d := fresh
		change(&d)
		return d
	}
	allowed := with(func(d *oauth.Device) { d.DecidedAt, d.Grant = start.Add(time.Minute), ident.New[ident.Grant]() })
	for name, c := range map[string]struct {
		device oauth.Device
		by     oauth.Client
		after  time.Duration
		want   oauth.Poll
		code   oauth.ErrorCode
	}{
		"first poll":     {fresh, client, 0, oauth.PollRefused, oauth.AuthorizationPending},
		"another client": {allowed, oauth.Client{ID: "other"}, time.Minute, oauth.PollRefused, oauth.InvalidGrant},
		"too soon":       {with(func(d *oauth.Device) { d.PolledAt = start }), client, oauth.DeviceInterval - 1, oauth.PollRefused, oauth.SlowDown},
		"in time":        {with(func(d *oauth.Device) { d.PolledAt = start }), client, oauth.DeviceInterval, oauth.PollRefused, oauth.AuthorizationPending},
		"denied":         {with(func(d *oauth.Device) { d.DecidedAt = start }), client, time.Minute, oauth.PollRefused, oauth.AccessDenied},
		"expired":        {fresh, client, oauth.DeviceLife, oauth.PollRefused, oauth.ExpiredToken},
		"allowed":        {allowed, client, time.Minute, oauth.PollAllowed, ""},
		"allowed, late":  {allowed, client, oauth.DeviceLife, oauth.PollRefused, oauth.ExpiredToken},
		"used again": {
			func() oauth.Device { d := allowed; d.RedeemedAt = start; return d }(), client, time.Minute, oauth.PollStolen, oauth.InvalidGrant,
		},
	} {
		got, err := c.device.Poll(c.by, start.Add(c.after))
		require.Equal(t, c.want, got, name)
		require.Equal(t, c.code, codeOf(t, err), name)
		require.Equal(t, c.code == oauth.SlowDown, oauth.IsCode(err, oauth.SlowDown), name)
	}
}

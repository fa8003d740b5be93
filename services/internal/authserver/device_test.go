package authserver_test

import (
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/services/internal/authserver"
	"fencepost.internal/shared/domain/credential"
	"fencepost.internal/shared/domain/oauth"
	"fencepost.internal/shared/infra/postgres/postgrestest"
	"fencepost.internal/shared/kernel/apperr"
	"fencepost.internal/shared/kernel/ident"
)

const deviceAddress = "203.0.113.7"

// device starts the sign-in of a device for two scopes.
func (b *bundle) device(t *testing.T, changes ...string) authserver.DeviceStarted {
	t.Helper()
	started, err := b.StartDevice(t.Context(), form(url.Values{
		"client_id": {b.client.ID}, "scope": {"posts:write posts:publish"},
	}, changes...), nil, deviceAddress)
	require.NoError(t, err)
	return started
}

func (b *bundle) polls(t *testing.T, code string, changes ...string) (authserver.Tokens, error) {
	t.Helper()
	return b.Token(t.Context(), form(url.Values{
		"grant_type": {oauth.GrantDevice}, "client_id": {b.client.ID}, "device_code": {code},
	}, changes...), nil)
}

func TestDeviceFlow(t *testing.T) {
	t.Parallel()
	b := setup(t)
	started := b.device(t)
	require.Regexp(t, `^[BCDFGHJKLMNPQRSTVWXZ]{4}-[BCDFGHJKLMNPQRSTVWXZ]{4}$`, started.UserCode)
	_, err := b.polls(t, started.DeviceCode)
	refused(t, err, oauth.AuthorizationPending)
	requested, err := b.RequestedDevice(t.Context(), strings.ToLower(strings.ReplaceAll(started.UserCode, "-", " ")))
	require.NoError(t, err, "as people type it")
	require.Equal(t, "Planner", requested.Client.Title())
	require.Equal(t, deviceAddress, requested.Device.Place)
	require.Equal(t, issuer, requested.Device.Resource)
	require.NoError(t, b.AllowDevice(t.Context(), started.UserCode, b.allows(credential.PostsWrite)))
	b.clock.Advance(oauth.DeviceInterval)
	tokens, err := b.polls(t, started.DeviceCode)
	require.NoError(t, err)
	require.Equal(t, []credential.Scope{credential.PostsWrite}, tokens.Scopes, "what the person allowed")
	access, _, err := b.Authenticate(t.Context(), tokens.Access)
	require.NoError(t, err)
	require.Equal(t, b.workspace.ID, access.Grant.WorkspaceID)
	again, err := b.Token(t.Context(), url.Values{
		"grant_type": {"refresh_token"}, "client_id": {b.client.ID}, "refresh_token": {tokens.Refresh},
	}, nil)
	require.NoError(t, err)
	require.True(t, b.valid(t, again.Access))
	for _, row := range postgrestest.Column(t, b.dsn, `SELECT x::text FROM oauth_device x`) {
		for _, secret := range []string{started.DeviceCode, started.UserCode, strings.ReplaceAll(started.UserCode, "-", "")} {
			require.NotContains(t, row, secret)
		}
	}
}

// TestPollsThatComeTooSoon checks that each lengthens the interval (RFC 8628, section 3.5), and that a client that waits
// gets its tokens.
func TestPollsThatComeTooSoon(t *testing.T) {
	t.Parallel()
	b := setup(t)
	started := b.device(t)
	_, err := b.polls(t, started.DeviceCode)
	refused(t, err, oauth.AuthorizationPending)
	b.clock.Advance(oauth.DeviceInterval - time.Millisecond)
	_, err = b.polls(t, started.DeviceCode)
	refused(t, err, oauth.SlowDown)
	b.clock.Advance(oauth.DeviceInterval)
	_, err = b.polls(t, started.DeviceCode)
	refused(t, err, oauth.SlowDown)
	b.clock.Advance(3 * oauth.DeviceInterval)
	_, err = b.polls(t, started.DeviceCode)
	refused(t, err, oauth.AuthorizationPending)
	require.NoError(t, b.AllowDevice(t.Context(), started.UserCode, b.allows(credential.PostsWrite)))
	_, err = b.polls(t, started.DeviceCode)
	require.NoError(t, err, "allowed at any time")
}

func TestDevicesAreDecidedOnce(t *testing.T) {
	t.Parallel()
	b := setup(t)
	denied := b.device(t)
	require.NoError(t, b.DenyDevice(t.Context(), denied.UserCode))
	_, err := b.polls(t, denied.DeviceCode)
	refused(t, err, oauth.AccessDenied)
	gone := func(code string) {
		t.Helper()
		_, err := b.RequestedDevice(t.Context(), code)
		require.True(t, apperr.Is(err, apperr.NotFound), "%v", err)
		err = b.AllowDevice(t.Context(), code, b.allows(credential.PostsWrite))
		require.True(t, apperr.Is(err, apperr.NotFound), "%v", err)
		err = b.DenyDevice(t.Context(), code)
		require.True(t, apperr.Is(err, apperr.NotFound), "%v", err)
	}
	gone(denied.UserCode)
	for _, unknown := range []string{"", "x", "BBBB-BBBB", "AEIO-UAEI", denied.DeviceCode, strings.Repeat("B", 500)} {
		gone(unknown)
	}
	allowed := b.device(t)
	for _, wrong := range []authserver.Decision{
		b.allows(), b.allows(credential.MediaWrite),
		{UserID: ident.New[ident.User](), WorkspaceID: b.workspace.ID, Scopes: []credential.Scope{credential.PostsWrite}},
		{UserID: b.person.ID, WorkspaceID: b.tenant(t, "Other").ID, Scopes: []credential.Scope{credential.PostsWrite}},
	} {
		require.Error(t, b.AllowDevice(t.Context(), allowed.UserCode, wrong))
	}
	require.NoError(t, b.AllowDevice(t.Context(), allowed.UserCode, b.allows(credential.PostsWrite)), "what was refused used nothing up")
	gone(allowed.UserCode)

	late := b.device(t)
	b.clock.Advance(oauth.DeviceLife)
	gone(late.UserCode)
	_, err = b.polls(t, late.DeviceCode)
	refused(t, err, oauth.ExpiredToken)
	b.clock.Advance(25 * time.Hour)
	require.NoError(t, b.Sweep(t.Context(), b.clock.Now()))
	require.Empty(t, postgrestest.Column(t, b.dsn, `SELECT 1 FROM oauth_device`))
	_, err = b.polls(t, late.DeviceCode)
	refused(t, err, oauth.InvalidGrant)
}

// TestDeviceCodesAreUsedOnce checks that the second use ends the access: another program has the code.
func TestDeviceCodesAreUsedOnce(t *testing.T) {
	t.Parallel()
	b := setup(t)
	started := b.device(t)
	require.NoError(t, b.AllowDevice(t.Context(), started.UserCode, b.allows(credential.PostsWrite)))
	var group sync.WaitGroup
	results := make(chan authserver.Tokens, 8)
	for range cap(results) {
		group.Go(func() {
			if tokens, err := b.polls(t, started.DeviceCode); err == nil {
				results <- tokens
			}
		})
	}
	group.Wait()
	require.Len(t, results, 1)
	tokens := <-results
	require.False(t, b.valid(t, tokens.Access), "the other polls revealed a theft")
	_, err := b.polls(t, started.DeviceCode)
	refused(t, err, oauth.InvalidGrant)
}

func TestDeviceCodesAreBoundToTheirClient(t *testing.T) {
	t.Parallel()
	b := setup(t)
	other, err := b.Register(t.Context(), []byte(`{"redirect_uris":["`+callback+`"],"token_endpoint_auth_method":"none"}`))
	require.NoError(t, err)
	started := b.device(t)
	require.NoError(t, b.AllowDevice(t.Context(), started.UserCode, b.allows(credential.PostsWrite)))
	_, err = b.polls(t, started.DeviceCode, "client_id="+other.Client.ID)
	refused(t, err, oauth.InvalidGrant)
	for _, wrong := range []string{"device_code", "device_code=x", "device_code=" + credential.DeviceCode.New(), "device_code=" + started.UserCode} {
		_, err = b.polls(t, started.DeviceCode, wrong)
		refused(t, err, oauth.InvalidGrant)
	}
	_, err = b.polls(t, started.DeviceCode)
	require.NoError(t, err, "the attempts of others used nothing up")
	for change, want := range map[string]oauth.ErrorCode{
		"client_id=x": oauth.InvalidClient, "client_id": oauth.InvalidClient, "scope=admin": oauth.InvalidScope,
		"resource=https://other.test": oauth.InvalidTarget,
	} {
		_, err := b.StartDevice(t.Context(), form(url.Values{"client_id": {b.client.ID}}, change), nil, deviceAddress)
		refused(t, err, want)
	}
}

// TestRevokedDeviceGetsNoTokens checks the access that a person revokes before the device polls.
func TestRevokedDeviceGetsNoTokens(t *testing.T) {
	t.Parallel()
	b := setup(t)
	started := b.device(t)
	require.NoError(t, b.AllowDevice(t.Context(), started.UserCode, b.allows(credential.PostsWrite)))
	postgrestest.Exec(t, b.dsn, `UPDATE oauth_grant SET revoked_at = now()`)
	_, err := b.polls(t, started.DeviceCode)
	refused(t, err, oauth.AccessDenied)
}

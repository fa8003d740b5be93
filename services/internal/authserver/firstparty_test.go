package authserver_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/services/internal/authserver"
	"fencepost.internal/shared/domain/credential"
	"fencepost.internal/shared/domain/member"
	"fencepost.internal/shared/domain/oauth"
	"fencepost.internal/shared/infra/postgres/postgrestest"
	"fencepost.internal/shared/kernel/apperr"
)

func (b *bundle) firstParty(t *testing.T) *authserver.FirstParty {
	t.Helper()
	f, err := authserver.NewFirstParty(b.db, b.clock)
	require.NoError(t, err)
	return f
}

func TestFirstPartyClients(t *testing.T) {
	t.Parallel()
	b := setup(t)
	f := b.firstParty(t)
	created, err := f.Add(t.Context(), oauth.ClientMetadata{
		ClientName: "App", RedirectURIs: []string{callback}, TokenEndpointAuthMethod: oauth.AuthBasic,
		Scope: "posts:write posts:publish",
	})
	require.NoError(t, err)
	require.Equal(t, oauth.FirstParty, created.Client.Kind)
	_, err = f.Add(t.Context(), oauth.ClientMetadata{RedirectURIs: []string{"http://evil.test/"}})
	refused(t, err, oauth.InvalidRedirectURI)
	listed, err := f.List(t.Context())
	require.NoError(t, err)
	require.Len(t, listed, 1, "not those that registered themselves")

	b.client = created.Client
	first := &authserver.Basic{ID: created.Client.ID, Secret: created.Secret}
	tokens, err := b.Token(t.Context(), b.redeems(b.code(t)), first)
	require.NoError(t, err)
	b.clock.Advance(365 * 24 * time.Hour / 13)
	require.NoError(t, b.Sweep(t.Context(), b.clock.Now()))
	_, grants, err := f.Get(t.Context(), created.Client.ID)
	require.NoError(t, err)
	require.Equal(t, 1, grants)
	secret, err := f.RotateSecret(t.Context(), created.Client.ID)
	require.NoError(t, err)
	_, err = b.Token(t.Context(), b.refreshes(tokens.Refresh), first)
	refused(t, err, oauth.InvalidClient)
	tokens, err = b.Token(t.Context(), b.refreshes(tokens.Refresh), &authserver.Basic{ID: created.Client.ID, Secret: secret})
	require.NoError(t, err, "what people allowed stays")
	for _, row := range postgrestest.Column(t, b.dsn, `SELECT c::text FROM oauth_client c`) {
		require.NotContains(t, row, secret)
	}

	waiting := b.started(t)
	require.NoError(t, f.Remove(t.Context(), created.Client.ID))
	require.False(t, b.valid(t, tokens.Access))
	_, err = b.Requested(t.Context(), waiting)
	require.True(t, apperr.Is(err, apperr.NotFound))
	for _, err := range []error{
		f.Remove(t.Context(), created.Client.ID),
		func() error { _, err := f.RotateSecret(t.Context(), created.Client.ID); return err }(),
	} {
		require.True(t, apperr.Is(err, apperr.NotFound))
	}
	_, _, err = f.Get(t.Context(), "unknown")
	require.True(t, apperr.Is(err, apperr.NotFound))
	_, err = authserver.NewFirstParty(nil, b.clock)
	require.Error(t, err)
}

// TestOnlyFirstPartySecretsAreRotated checks that the secret of a public or self-registered client cannot be rotated.
func TestOnlyFirstPartySecretsAreRotated(t *testing.T) {
	t.Parallel()
	b := setup(t)
	f := b.firstParty(t)
	public, err := f.Add(t.Context(), oauth.ClientMetadata{
		RedirectURIs: []string{callback}, TokenEndpointAuthMethod: oauth.AuthNone,
	})
	require.NoError(t, err)
	require.Empty(t, public.Secret)
	registered, err := b.Register(t.Context(), []byte(`{"redirect_uris":["`+callback+`"]}`))
	require.NoError(t, err)
	for _, id := range []string{public.Client.ID, registered.Client.ID} {
		_, err = f.RotateSecret(t.Context(), id)
		require.True(t, apperr.Is(err, apperr.NotFound))
	}
	require.NoError(t, f.Remove(t.Context(), registered.Client.ID), "the operator may remove anybody")
}

// TestLeavingMemberLosesGrants checks that a user who leaves loses the grants for good, also after joining
// again.
func TestLeavingMemberLosesGrants(t *testing.T) {
	t.Parallel()
	b := setup(t)
	tokens := b.tokens(t)
	remaining, err := b.users.Leave(t.Context(), b.person.ID, b.workspace.ID, b.clock.Now())
	require.NoError(t, err)
	require.True(t, remaining)
	remaining, err = b.users.Leave(t.Context(), b.person.ID, b.workspace.ID, b.clock.Now())
	require.NoError(t, err)
	require.False(t, remaining)
	require.NoError(t, b.users.Join(t.Context(), b.person.ID, b.workspace.ID, member.Owner, b.clock.Now()))
	require.False(t, b.valid(t, tokens.Access))
	_, err = b.Token(t.Context(), b.refreshes(tokens.Refresh), nil)
	refused(t, err, oauth.InvalidGrant)
	_, err = b.Allow(t.Context(), b.started(t), b.allows(credential.PostsWrite))
	require.NoError(t, err)
}

package mail_test

import (
	"crypto/ecdh"
	"crypto/rand"
	"encoding/base64"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/mail"
)

func TestSubscriptionsHaveKeys(t *testing.T) {
	t.Parallel()
	key, err := ecdh.P256().GenerateKey(rand.Reader)
	require.NoError(t, err)
	good := mail.Subscription{
		Endpoint: "https://push.example.com/1", Key: base64.RawURLEncoding.EncodeToString(key.PublicKey().Bytes()),
		Auth: base64.RawURLEncoding.EncodeToString(make([]byte, 16)),
	}
	require.True(t, good.Valid())
	for name, change := range map[string]func(*mail.Subscription){
		"a key that is no point": func(s *mail.Subscription) { s.Key = base64.RawURLEncoding.EncodeToString(make([]byte, 65)) },
		"a key in another form":  func(s *mail.Subscription) { s.Key += "=" },
		"a short secret":         func(s *mail.Subscription) { s.Auth = "AAAA" },
		"a long address":         func(s *mail.Subscription) { s.Endpoint += strings.Repeat("x", 1000) },
	} {
		wrong := good
		change(&wrong)
		require.False(t, wrong.Valid(), name)
	}
	require.Equal(t, []mail.Way{mail.Slack, mail.Mattermost}, mail.Hooks())
}

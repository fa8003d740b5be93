package mailing_test

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"crypto/ecdh"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/hkdf"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"math/big"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/mail"
	"fencepost.internal/shared/flow"
	"fencepost.internal/shared/infra/egress"
	"fencepost.internal/shared/infra/postgres/postgrestest"
	"fencepost.internal/shared/kernel/ident"
)

// device is a browser that accepts messages.
type device struct {
	key  *ecdh.PrivateKey
	auth []byte
}

func newDevice(t *testing.T) device {
	t.Helper()
	key, err := ecdh.P256().GenerateKey(rand.Reader)
	require.NoError(t, err)
	auth := make([]byte, 16)
	_, err = rand.Read(auth)
	require.NoError(t, err)
	return device{key, auth}
}

func encoded(raw []byte) string { return base64.RawURLEncoding.EncodeToString(raw) }

func decoded(t *testing.T, text string) []byte {
	t.Helper()
	raw, err := base64.RawURLEncoding.DecodeString(text)
	require.NoError(t, err)
	return raw
}

func (d device) subscription() mail.Subscription {
	return mail.Subscription{Endpoint: "https://push.example.net/send/canary", Key: encoded(d.key.PublicKey().Bytes()), Auth: encoded(d.auth)}
}

// opened decrypts a message as a browser does (RFC 8291, 3.4, and RFC 8188).
func (d device) opened(t *testing.T, body []byte) []byte {
	t.Helper()
	salt, length := body[:16], int(body[20])
	sender, rest := body[21:21+length], body[21+length:]
	public, err := ecdh.P256().NewPublicKey(sender)
	require.NoError(t, err)
	shared, err := d.key.ECDH(public)
	require.NoError(t, err)
	derive := func(secret, salt []byte, info string, size int) []byte {
		key, err := hkdf.Key(sha256.New, secret, salt, info, size)
		require.NoError(t, err)
		return key
	}
	secret := derive(shared, d.auth, "WebPush: info\x00"+string(d.key.PublicKey().Bytes())+string(sender), 32)
	block, err := aes.NewCipher(derive(secret, salt, "Content-Encoding: aes128gcm\x00", 16))
	require.NoError(t, err)
	gcm, err := cipher.NewGCM(block)
	require.NoError(t, err)
	plain, err := gcm.Open(nil, derive(secret, salt, "Content-Encoding: nonce\x00", 12), rest, nil)
	require.NoError(t, err)
	at := bytes.LastIndexByte(plain, 2)
	require.Positive(t, at)
	return plain[:at]
}

// pushed stores a message for a place with a subscription.
func (b *bundle) pushed(t *testing.T, s mail.Subscription, words string) (flow.MailInput, ident.Place) {
	t.Helper()
	address, err := json.Marshal(s)
	require.NoError(t, err)
	workspace := b.workspace(t)
	place := mail.Place{
		ID: ident.New[ident.Place](), WorkspaceID: workspace, Way: mail.Push, Name: "Phone", Address: string(address), CreatedAt: b.clock.Now(),
	}
	require.NoError(t, b.mails.AddPlace(t.Context(), place))
	m := mail.New(mail.PostsFailed, workspace, mail.Content{
		Hook: string(address), Place: place.ID, Workspace: "Acme",
		Causes: []mail.Cause{{Channel: mail.Channel{Name: "birch", Network: "X"}, Posts: 1, Words: words}},
	}, b.clock.Now(), time.Time{})
	m.Way = mail.Push
	require.NoError(t, b.mails.Enqueue(t.Context(), m))
	return flow.MailInput{MailID: m.ID, WorkspaceID: m.WorkspaceID, Kind: m.Kind, Way: m.Way}, place.ID
}

// claims verifies the signature of a request by the key that it names, and returns what is signed (RFC 8292).
func claims(t *testing.T, r egress.Request) (key string, signed map[string]any) {
	t.Helper()
	token, key, found := strings.Cut(strings.TrimPrefix(r.Header.Get("Authorization"), "vapid t="), ", k=")
	require.True(t, found, r.Header)
	parts := strings.Split(token, ".")
	require.Len(t, parts, 3)
	public, err := ecdsa.ParseUncompressedPublicKey(elliptic.P256(), decoded(t, key))
	require.NoError(t, err)
	sum, signature := sha256.Sum256([]byte(parts[0]+"."+parts[1])), decoded(t, parts[2])
	require.True(t, ecdsa.Verify(public, sum[:],
		new(big.Int).SetBytes(signature[:32]), new(big.Int).SetBytes(signature[32:])))
	require.NoError(t, json.Unmarshal(decoded(t, parts[1]), &signed))
	return key, signed
}

// TestDeviceGetsMessage checks the request as a push service and a browser do.
func TestDeviceGetsMessage(t *testing.T) {
	t.Parallel()
	b, phone := setup(t), newDevice(t)
	in, _ := b.pushed(t, phone.subscription(), "Spring sale")
	out, err := b.Send(t.Context(), in)
	require.NoError(t, err)
	require.Equal(t, flow.MailOutcome{Done: true, Note: "Sent."}, out)
	require.Len(t, b.hooked, 1)
	sent := b.hooked[0]
	require.Equal(t, http.MethodPost, sent.Method)
	require.Equal(t, phone.subscription().Endpoint, sent.URL)
	require.Equal(t, "aes128gcm", sent.Header.Get("Content-Encoding"))
	require.Equal(t, "86400", sent.Header.Get("TTL"))
	require.Equal(t, strings.ReplaceAll(in.MailID.String(), "-", ""), sent.Header.Get("Topic"))
	var got struct{ ID, Title, Text, Link string }
	require.NoError(t, json.Unmarshal(phone.opened(t, sent.Body), &got))
	require.Equal(t, in.MailID.String(), got.ID)
	require.Equal(t, "A post failed: Acme", got.Title)
	require.Contains(t, got.Text, "Spring sale")
	require.Contains(t, got.Link, appURL+"/w/"+in.WorkspaceID.String()+"/posts/")

	key, signed := claims(t, sent)
	require.Equal(t, "https://push.example.net", signed["aud"])
	require.Equal(t, appURL, signed["sub"])
	ends, ok := signed["exp"].(float64)
	require.True(t, ok)
	require.InDelta(t, time.Now().Add(12*time.Hour).Unix(), ends, 600, "at most 24 hours (RFC 8292, 2)")
	own, err := b.mails.PushKey(t.Context())
	require.NoError(t, err)
	require.Equal(t, encoded(own.PublicKey().Bytes()), key)
	require.NotContains(t, postgrestest.Column(t, b.dsn, `SELECT encode(value, 'escape') FROM app_credential`)[0], encoded(own.Bytes()))

	in, _ = b.pushed(t, phone.subscription(), strings.Repeat("<", 60))
	_, err = b.Send(t.Context(), in)
	require.NoError(t, err)
	require.Len(t, b.hooked, 2, "a long text fits into one record")
}

// TestDeviceThatIsGone checks that it is removed, and that other failures keep it.
func TestDeviceThatIsGone(t *testing.T) {
	t.Parallel()
	b, phone := setup(t), newDevice(t)
	for status, want := range map[int]struct{ done, kept bool }{
		http.StatusGone:               {true, false},
		http.StatusNotFound:           {true, false},
		http.StatusForbidden:          {true, true},
		http.StatusTooManyRequests:    {false, true},
		http.StatusServiceUnavailable: {false, true},
	} {
		b.status = status
		in, place := b.pushed(t, phone.subscription(), "Spring sale")
		out, err := b.Send(t.Context(), in)
		require.NoError(t, err)
		require.Equal(t, want.done, out.Done, status)
		require.Equal(t, want.done, out.Refused, status)
		require.NotContains(t, out.Note, "canary")
		kept := postgrestest.Column(t, b.dsn, `SELECT id::text FROM notice_way WHERE id = '`+place.String()+`'`)
		require.Equal(t, want.kept, len(kept) == 1, status)
	}
	b.status, b.broken = 0, &egress.Error{Class: egress.ClassBlockedAddress}
	in, _ := b.pushed(t, phone.subscription(), "Spring sale")
	out, err := b.Send(t.Context(), in)
	require.NoError(t, err)
	require.True(t, out.Refused, "an address within the network of the installation")
	require.NotContains(t, b.logs.String(), "canary")
}

func TestSubscriptionsHaveTheirForm(t *testing.T) {
	t.Parallel()
	good := newDevice(t).subscription()
	require.True(t, good.Valid())
	for name, change := range map[string]func(*mail.Subscription){
		"no key":                 func(s *mail.Subscription) { s.Key = "" },
		"a point off the curve":  func(s *mail.Subscription) { s.Key = encoded(append([]byte{4}, make([]byte, 64)...)) },
		"a short secret":         func(s *mail.Subscription) { s.Auth = encoded(make([]byte, 15)) },
		"other letters":          func(s *mail.Subscription) { s.Auth = "%" + s.Auth[1:] },
		"an address without end": func(s *mail.Subscription) { s.Endpoint += strings.Repeat("a", 1000) },
	} {
		s := good
		change(&s)
		require.False(t, s.Valid(), name)
	}
}

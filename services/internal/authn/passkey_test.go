package authn_test

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"errors"
	"testing"

	"github.com/fxamacker/cbor/v2"
	"github.com/stretchr/testify/require"

	"fencepost.internal/services/internal/authn"
)

const origin = "https://app.example.com"

// device is an authenticator with one key (W3C Web Authentication, section 6).
type device struct {
	t       *testing.T
	key     *ecdsa.PrivateKey
	id      []byte
	owner   []byte
	counter uint32
	origin  string
	flags   byte
}

// Flags of authenticator data.
const (
	present  = 1 << 0
	verified = 1 << 2
	attested = 1 << 6
)

func newDevice(t *testing.T, owner []byte) *device {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	return &device{t: t, key: key, id: []byte(rand.Text()), owner: owner, origin: origin, flags: present | verified}
}

func encode(raw []byte) string { return base64.RawURLEncoding.EncodeToString(raw) }

func (d *device) client(kind, challenge string) []byte {
	d.t.Helper()
	raw, err := json.Marshal(map[string]any{"type": kind, "challenge": challenge, "origin": d.origin, "crossOrigin": false})
	require.NoError(d.t, err)
	return raw
}

func (d *device) data(flags byte) []byte {
	hash := sha256.Sum256([]byte("app.example.com"))
	return binary.BigEndian.AppendUint32(append(hash[:], flags), d.counter)
}

func challengeOf(t *testing.T, begun authn.Begun) string {
	t.Helper()
	var options struct {
		Challenge string `json:"challenge"`
	}
	require.NoError(t, json.Unmarshal(begun.Options, &options))
	require.NotEmpty(t, options.Challenge)
	return options.Challenge
}

func (d *device) response(response map[string]any) []byte {
	d.t.Helper()
	raw, err := json.Marshal(map[string]any{
		"id": encode(d.id), "rawId": encode(d.id), "type": "public-key", "response": response, "clientExtensionResults": map[string]any{},
	})
	require.NoError(d.t, err)
	return raw
}

// creates returns the device's response to a creation.
func (d *device) creates(challenge string) []byte {
	d.t.Helper()
	point, err := d.key.PublicKey.Bytes() // 4, x, y
	require.NoError(d.t, err)
	cose, err := cbor.Marshal(map[int]any{1: 2, 3: -7, -1: 1, -2: point[1:33], -3: point[33:]})
	require.NoError(d.t, err)
	data := append(d.data(d.flags|attested), make([]byte, 16)...)
	data = binary.BigEndian.AppendUint16(data, uint16(len(d.id))) //nolint:gosec // G115: 26
	data = append(append(data, d.id...), cose...)
	object, err := cbor.Marshal(map[string]any{"fmt": "none", "attStmt": map[string]any{}, "authData": data})
	require.NoError(d.t, err)
	return d.response(map[string]any{
		"clientDataJSON": encode(d.client("webauthn.create", challenge)), "attestationObject": encode(object),
	})
}

// signs returns the device's response to a sign-in.
func (d *device) signs(challenge string) []byte {
	d.t.Helper()
	d.counter++
	data, client := d.data(d.flags), d.client("webauthn.get", challenge)
	hash := sha256.Sum256(client)
	digest := sha256.Sum256(append(data, hash[:]...))
	signature, err := ecdsa.SignASN1(rand.Reader, d.key, digest[:])
	require.NoError(d.t, err)
	return d.response(map[string]any{
		"clientDataJSON": encode(client), "authenticatorData": encode(d.data(d.flags)), "signature": encode(signature),
		"userHandle": encode(d.owner),
	})
}

func newParty(t *testing.T) *authn.Passkeys {
	t.Helper()
	party, err := authn.NewPasskeys("Fencepost", origin)
	require.NoError(t, err)
	return party
}

// registered returns a person with a passkey on the device.
func registered(t *testing.T, party *authn.Passkeys, id string) (authn.Person, *device) {
	t.Helper()
	person := authn.Person{ID: []byte(id), Email: id + "@example.com", Name: id}
	d := newDevice(t, person.ID)
	begun, err := party.Create(person)
	require.NoError(t, err)
	created, err := party.Created(person, begun.State, d.creates(challengeOf(t, begun)))
	require.NoError(t, err)
	require.Equal(t, d.id, created.Credential)
	require.False(t, created.Cloned)
	person.Records = append(person.Records, created.Record)
	return person, d
}

func finds(people ...authn.Person) func([]byte) (authn.Person, error) {
	return func(id []byte) (authn.Person, error) {
		for _, p := range people {
			if bytes.Equal(p.ID, id) {
				return p, nil
			}
		}
		return authn.Person{}, errors.New("unknown")
	}
}

func TestAllowedOrigins(t *testing.T) {
	t.Parallel()
	for address, ok := range map[string]bool{
		"https://app.example.com": true, "https://app.example.com:8443": true, "http://localhost:8081": true,
		"http://app.example.com": false, "https://192.0.2.1": false, "http://127.0.0.1:8081": false, "https://[2001:db8::1]": false,
	} {
		_, err := authn.NewPasskeys("Fencepost", address)
		require.Equal(t, ok, err == nil, address)
		if !ok {
			require.ErrorIs(t, err, authn.ErrPasskeysUnsuitable, address)
		}
	}
}

func TestSigningInWithPasskey(t *testing.T) {
	t.Parallel()
	party := newParty(t)
	ada, phone := registered(t, party, "ada")
	grace, other := registered(t, party, "grace")
	begun, err := party.SignIn()
	require.NoError(t, err)
	used, err := party.SignedIn(begun.State, phone.signs(challengeOf(t, begun)), finds(ada, grace))
	require.NoError(t, err)
	require.Equal(t, phone.id, used.Credential)
	require.NotEqual(t, ada.Records[0], used.Record, "it has the new counter")
	require.Contains(t, string(begun.Options), `"userVerification":"required"`)

	proof, err := party.Prove(ada)
	require.NoError(t, err)
	_, err = party.Proved(ada, proof.State, phone.signs(challengeOf(t, proof)))
	require.NoError(t, err)
	_, err = party.Proved(grace, proof.State, phone.signs(challengeOf(t, proof)))
	require.ErrorIs(t, err, authn.ErrPasskeyRejected, "the challenge of another person")
	_, err = party.Proved(ada, proof.State, other.signs(challengeOf(t, proof)))
	require.ErrorIs(t, err, authn.ErrPasskeyRejected, "the passkey of another person")
}

func TestInvalidResponses(t *testing.T) {
	t.Parallel()
	party := newParty(t)
	ada, phone := registered(t, party, "ada")
	foreign := newDevice(t, ada.ID)
	foreign.id = phone.id
	for name, response := range map[string]func(challenge string) []byte{
		"another challenge": func(string) []byte { return phone.signs(encode([]byte("another challenge of the server"))) },
		"another key":       foreign.signs,
		"an unknown person": func(c string) []byte { return changed(phone, func(d *device) { d.owner = []byte("eve") }).signs(c) },
		"no person":         func(c string) []byte { return changed(phone, func(d *device) { d.owner = nil }).signs(c) },
		"another site": func(c string) []byte {
			return changed(phone, func(d *device) { d.origin = "https://evil.test" }).signs(c)
		},
		"an unverified person":   func(c string) []byte { return changed(phone, func(d *device) { d.flags = present }).signs(c) },
		"no person present":      func(c string) []byte { return changed(phone, func(d *device) { d.flags = verified }).signs(c) },
		"a creation":             phone.creates,
		"nothing":                func(string) []byte { return nil },
		"a text that is no JSON": func(string) []byte { return []byte("{") },
	} {
		begun, err := party.SignIn()
		require.NoError(t, err)
		_, err = party.SignedIn(begun.State, response(challengeOf(t, begun)), finds(ada))
		require.ErrorIs(t, err, authn.ErrPasskeyRejected, name)
	}
	begun, err := party.Create(ada)
	require.NoError(t, err)
	for name, response := range map[string][]byte{
		"another challenge":    newDevice(t, ada.ID).creates(encode([]byte("another challenge of the server"))),
		"an unverified person": changed(newDevice(t, ada.ID), func(d *device) { d.flags = present }).creates(challengeOf(t, begun)),
		"another site":         changed(newDevice(t, ada.ID), func(d *device) { d.origin = "https://evil.test" }).creates(challengeOf(t, begun)),
		"nothing":              nil,
	} {
		_, err = party.Created(ada, begun.State, response)
		require.ErrorIs(t, err, authn.ErrPasskeyRejected, name)
	}
}

func changed(d *device, change func(*device)) *device {
	other := *d
	change(&other)
	return &other
}

func TestClonedPasskeyIsDetected(t *testing.T) {
	t.Parallel()
	party := newParty(t)
	ada, phone := registered(t, party, "ada")
	clone := changed(phone, func(*device) {})
	signIn := func(d *device) authn.Used {
		t.Helper()
		begun, err := party.SignIn()
		require.NoError(t, err)
		used, err := party.SignedIn(begun.State, d.signs(challengeOf(t, begun)), finds(ada))
		require.NoError(t, err)
		ada.Records[0] = used.Record
		return used
	}
	require.False(t, signIn(phone).Cloned)
	require.False(t, signIn(phone).Cloned)
	require.True(t, signIn(clone).Cloned, "it counts from the start")
	require.False(t, signIn(phone).Cloned)
}

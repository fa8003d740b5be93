package webhook_test

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/event"
	"fencepost.internal/shared/domain/webhook"
)

const (
	secret      = "whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY="
	previous    = "whsec_ZmVkY2JhOTg3NjU0MzIxMGZlZGNiYTk4NzY1NDMyMTA="
	otherSecret = "whsec_YWFhYWFhYWFhYWFhYWFhYWFhYWFhYWFhYWFhYWFhYWE="
	eventID     = "evt_0190a3c8-4e35-7a9c-9d77-8c4a5f6e7d82"
)

var (
	at   = time.Unix(1_772_355_600, 999_000_000)
	body = []byte(`{"emoji":"🎈","tag":"</script>","n":9007199254740993}` + "\n")
)

func TestSignatureVector(t *testing.T) {
	t.Parallel()
	// printf '%s' '1772355600.{"a":"ü"}' | openssl dgst -sha256 -hmac whsec_…
	require.Equal(t, "t=1772355600,v1=656c7a86b001adabf631ae9d0876fc793cd03f74a4fba0e7cb04e926487227c6",
		webhook.Sign(at, []byte(`{"a":"ü"}`), secret))
	// The test vector of the reference libraries of Standard Webhooks.
	require.Equal(t, "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
		webhook.SignStandard("msg_p5jXN8AQM9LWM0D4loKWxJek", time.Unix(1_614_265_330, 0), []byte(`{"test": 2432232314}`),
			"whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"))
}

func TestVerify(t *testing.T) {
	t.Parallel()
	header := webhook.Sign(at, body, secret)
	value := strings.TrimPrefix(header, "t=1772355600,")
	for name, given := range map[string]string{
		"as it is":                header,
		"rotated":                 webhook.Sign(at, body, otherSecret, secret),
		"rotated, still current":  webhook.Sign(at, body, secret, previous),
		"other order":             value + ",t=1772355600",
		"other schemes beside it": "t=1772355600,v0=00,v2=zz," + value + ",x",
	} {
		require.NoError(t, webhook.Verify(given, body, secret, at), name)
	}
	for name, given := range map[string]string{
		"empty":                  "",
		"no time":                value,
		"no value of the time":   "t=," + value,
		"no signature":           "t=1772355600",
		"empty signature":        "t=1772355600,v1=",
		"not hex":                "t=1772355600,v1=zz",
		"cut short":              header[:len(header)-2],
		"too long":               header + "00",
		"in capitals":            "t=1772355600,v1=" + strings.ToUpper(strings.TrimPrefix(value, "v1=")),
		"other version":          strings.Replace(header, "v1=", "v0=", 1),
		"swapped time":           strings.Replace(header, "t=1772355600", "t=1772355601", 1),
		"another spelling":       strings.Replace(header, "t=1772355600", "t=+1772355600", 1),
		"leading zero":           strings.Replace(header, "t=1772355600", "t=01772355600", 1),
		"two times":              "t=1772355600," + header,
		"a second time":          header + ",t=1772355601",
		"time of another system": strings.Replace(header, "t=1772355600", "t=1772355600999", 1),
		"farthest time":          "t=9223372036854775807," + value,
		"earliest time":          "t=-9223372036854775808," + value,
		"no number":              "t=now," + value,
		"huge":                   header + strings.Repeat(",v1=00", 1000),
		"garbage":                ",,==,t,v1,\x00,é",
	} {
		require.ErrorIs(t, webhook.Verify(given, body, secret, at), webhook.ErrSignature, name)
	}
}

// TestBothSignatures covers the bodies, secrets and clocks that both forms accept.
func TestBothSignatures(t *testing.T) {
	t.Parallel()
	header := webhook.Headers(eventID, event.PostPublished, at, body, secret, previous)
	var parsed any
	require.NoError(t, json.Unmarshal(body, &parsed))
	again, err := json.Marshal(parsed)
	require.NoError(t, err)
	for name, c := range map[string]struct {
		body     []byte
		secret   string
		now      time.Time
		accepted bool
	}{
		"current secret":        {body, secret, at, true},
		"previous secret":       {body, previous, at, true},
		"300 s later":           {body, secret, time.Unix(at.Unix()+300, 0), true},
		"300 s before":          {body, secret, time.Unix(at.Unix()-300, 0), true},
		"301 s later":           {body, secret, time.Unix(at.Unix()+301, 0), false},
		"301 s before":          {body, secret, time.Unix(at.Unix()-301, 0), false},
		"other secret":          {body, otherSecret, at, false},
		"no secret":             {body, "", at, false},
		"newline lost":          {body[:len(body)-1], secret, at, false},
		"parsed and rewritten":  {again, secret, at, false},
		"a bit flipped":         {append([]byte{body[0] ^ 1}, body[1:]...), secret, at, false},
		"empty":                 {nil, secret, at, false},
		"clock at its end":      {body, secret, time.Unix(1<<62, 0), false},
		"clock long before":     {body, secret, time.Unix(-1<<62, 0), false},
		"clock of the zero day": {body, secret, time.Time{}, false},
	} {
		own, standard := webhook.Verify(header.Get("x-service-signature"), c.body, c.secret,
			c.now), webhook.VerifyStandard(header, c.body, c.secret, c.now)
		if c.accepted {
			require.NoError(t, own, name)
			require.NoError(t, standard, name)
			continue
		}
		require.ErrorIs(t, own, webhook.ErrSignature, name)
		require.ErrorIs(t, standard, webhook.ErrSignature, name)
	}
}

func TestVerifyStandard(t *testing.T) {
	t.Parallel()
	genuine := webhook.SignStandard(eventID, at, body, secret)
	for name, c := range map[string]struct {
		change   func(http.Header)
		accepted bool
	}{
		"as it is":                {func(http.Header) {}, true},
		"other schemes beside it": {func(h http.Header) { h.Set("webhook-signature", "v1a,AAAA v2,x  "+genuine) }, true},
		"no id":                   {func(h http.Header) { h.Del("webhook-id") }, false},
		"no time":                 {func(h http.Header) { h.Del("webhook-timestamp") }, false},
		"no signature":            {func(h http.Header) { h.Del("webhook-signature") }, false},
		"empty signature":         {func(h http.Header) { h.Set("webhook-signature", "") }, false},
		"other id":                {func(h http.Header) { h.Set("webhook-id", eventID+"0") }, false},
		"other time":              {func(h http.Header) { h.Set("webhook-timestamp", "1772355601") }, false},
		"time with a fraction":    {func(h http.Header) { h.Set("webhook-timestamp", "1772355600.0") }, false},
		"two ids":                 {func(h http.Header) { h.Add("webhook-id", eventID) }, false},
		"other version":           {func(h http.Header) { h.Set("webhook-signature", "v2"+genuine[2:]) }, false},
		"no version":              {func(h http.Header) { h.Set("webhook-signature", genuine[3:]) }, false},
		"cut short":               {func(h http.Header) { h.Set("webhook-signature", genuine[:len(genuine)-4]) }, false},
		"huge": {func(h http.Header) {
			h.Set("webhook-signature", strings.Repeat("v1,AAAA ", 1000)+genuine)
		}, false},
	} {
		header := webhook.Headers(eventID, event.PostPublished, at, body, secret)
		c.change(header)
		if err := webhook.VerifyStandard(header, body, secret, at); c.accepted {
			require.NoError(t, err, name)
		} else {
			require.ErrorIs(t, err, webhook.ErrSignature, name)
		}
	}
}

// TestStandardIDHasNoFullStop checks that an ID with a full stop is refused, because it could be parsed as an ID and a
// time.
func TestStandardIDHasNoFullStop(t *testing.T) {
	t.Parallel()
	header := webhook.Headers("evt_1.1772355600", event.PostPublished, at, body, secret)
	require.ErrorIs(t, webhook.VerifyStandard(header, body, secret, at), webhook.ErrSignature)
}

// TestSecretWithoutKey covers a secret that is not base64. It has no key for the standard form; our own form uses it
// unchanged.
func TestSecretWithoutKey(t *testing.T) {
	t.Parallel()
	require.Empty(t, webhook.SignStandard(eventID, at, body, "whsec_new"))
	header := webhook.Headers(eventID, event.PostPublished, at, body, "whsec_new", secret)
	require.NoError(t, webhook.VerifyStandard(header, body, secret, at))
	require.ErrorIs(t, webhook.VerifyStandard(header, body, "whsec_new", at), webhook.ErrSignature)
	require.NoError(t, webhook.Verify(header.Get("X-Service-Signature"), body, "whsec_new", at))
}

func TestHeaders(t *testing.T) {
	t.Parallel()
	header := webhook.Headers(eventID, event.PostPublished, at, body, secret, previous)
	require.Len(t, header, 6)
	for name, want := range map[string]string{
		"X-Service-Event": "post.published", "X-Service-Delivery": eventID, "webhook-id": eventID,
		"webhook-timestamp":   "1772355600",
		"X-Service-Signature": webhook.Sign(at, body, secret, previous),
		"webhook-signature": webhook.SignStandard(eventID, at, body, secret) + " " + webhook.SignStandard(eventID, at, body,
			previous),
	} {
		require.Equal(t, want, header.Get(name), name)
	}
	// The keys of the two forms differ: the whole text of the secret, and its base64-decoded part.
	key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, webhook.SecretPrefix))
	require.NoError(t, err)
	mac := hmac.New(sha256.New, key)
	mac.Write(append([]byte(eventID+".1772355600."), body...))
	require.Equal(t, "v1,"+base64.StdEncoding.EncodeToString(mac.Sum(nil)),
		webhook.SignStandard(eventID, at, body, secret))
}

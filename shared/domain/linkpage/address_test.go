package linkpage_test

import (
	"encoding/json"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/linkpage"
)

// target parses a link with the address.
func target(t require.TestingT, address string) (string, error) {
	raw, err := json.Marshal(map[string]any{"title": "A", "url": address})
	require.NoError(t, err)
	settings, err := linkpage.ReadSettings("LINK", raw)
	if err != nil {
		return "", err
	}
	return settings.Traits().Target, nil
}

func TestAddresses(t *testing.T) {
	t.Parallel()
	for given, want := range map[string]string{
		"https://example.com":                               "https://example.com",
		"  https://example.com/a?b=c&d=%20#e  ":             "https://example.com/a?b=c&d=%20#e",
		"HTTPS://Example.COM/A":                             "https://Example.COM/A",
		"https://example.com/ä/日本":                          "https://example.com/%C3%A4/%E6%97%A5%E6%9C%AC",
		"https://example.com/a%2Fä?q=ö&r=%2F#ü":             "https://example.com/a%2F%C3%A4?q=%C3%B6&r=%2F#%C3%BC",
		"https://xn--bcher-kva.example/":                    "https://xn--bcher-kva.example/",
		"https://example.com:8443/":                         "https://example.com:8443/",
		"https://example.com./":                             "https://example.com./",
		"https://a.b-c.example.com/@user":                   "https://a.b-c.example.com/@user",
		"https://example.com/javascript:alert(1)":           "https://example.com/javascript:alert(1)",
		"mailto:name+tag@example.com":                       "mailto:name+tag@example.com",
		"MAILTO:name@example.com?subject=A+b&body=c%0Ad":    "mailto:name@example.com?body=c%0Ad&subject=A%20b",
		"tel:+46701234567":                                  "tel:+46701234567",
		"tel:030-123.456":                                   "tel:030-123.456",
		"https://example.com/?u=https://evil.example&x=%0d": "https://example.com/?u=https://evil.example&x=%0d",
	} {
		got, err := target(t, given)
		require.NoError(t, err, given)
		require.Equal(t, want, got)
	}
}

// hostile returns addresses that browsers or other parsers interpret in unexpected ways.
func hostile() []string {
	return []string{
		"javascript:alert(1)", "JaVaScRiPt:alert(1)", "java\tscript:alert(1)", "java\nscript:alert(1)",
		"\tjavascript:alert(1)", "\x01javascript:alert(1)",
		"javascript://example.com/%0aalert(1)", "data:text/html,<script>alert(1)</script>", "vbscript:x",
		"file:///etc/passwd", "blob:https://example.com/x",
		"//evil.example", "///evil.example", "/\\evil.example", "\\\\evil.example", "https:evil.example",
		"https:/evil.example", "https:///evil.example",
		"https:\\\\evil.example", "ht\ttps://example.com", "https\n://example.com", "https://exa\tmple.com",
		"https://example.com\r\nSet-Cookie: a=b",
		"https://example.com/\r\nX: y", "https://example.com/\u0000", "https://example.com/\u0085",
		"https://user@example.com", "https://user:pass@example.com",
		"https://example.com@evil.example", "https://example.com\\@evil.example", "https://evil.example\\.example.com",
		"http://example.com", "ftp://example.com",
		"https://localhost", "https://127.0.0.1", "https://[::1]/", "https://0x7f.1", "https://example",
		"https://.example.com", "https://-a.example.com",
		"https://bücher.example", "https://example.com:", "https://example.com:0", "https://example.com:99999",
		"https://example.com:80a", "https://exam ple.com",
		"https://example.com/<script>", "https://example.com/\"onclick=", "https://example.com/`", "https://example.com/{a}",
		"https://%65xample.com", "https://",
		"https", ":", "", " ", "example.com", "?url=https://evil.example", "#", "mailto:", "mailto:name",
		"mailto:a@b@c.example", "mailto:a@example.com,b@example.com",
		"mailto:a@example.com?bcc=b@example.com", "mailto:a@example.com?", "mailto:a%0d@example.com",
		"mailto:a@example.com?subject=%zz", "mailto://a@example.com",
		"tel:", "tel:abc", "tel:+1;ext=1", "tel:+1 2 3", "tel://1", "tel:*#06#", "sms:+1", "intent://x#Intent;end",
		"https://example.com/" + strings.Repeat("a", 2048),
		"https://example.com/" + strings.Repeat("ä", 1000), "https://\ufffdexample.com", "https://example.com/\u3000",
		"view-source:https://example.com", "x:https://example.com",
	}
}

func TestHostileAddresses(t *testing.T) {
	t.Parallel()
	for _, given := range hostile() {
		got, err := target(t, given)
		require.Error(t, err, "%q gave %q", given, got)
		require.ErrorContains(t, err, "/settings/url")
	}
}

// TestAddressSuggestions checks that an address that follows the advice is accepted.
func TestAddressSuggestions(t *testing.T) {
	t.Parallel()
	const encode, host = "percent-encode them", "has no valid host"
	for given, advice := range map[string][2]string{
		"tel:+49 170 1234":                   {"write it without spaces", "tel:+491701234"},
		"tel:+49%20170%201234":               {"write it without spaces", "tel:+491701234"},
		"mailto:a b@example.com":             {"such as mailto:name@example.com", "mailto:name@example.com"},
		"mailto:a@example.com?subject=b <c>": {encode, "mailto:a@example.com?subject=b%20%3Cc%3E"},
		"https://example.com/a b":            {encode, "https://example.com/a%20b"},
		"https://example.com?a={b}":          {encode, "https://example.com?a=%7Bb%7D"},
		"https://exam ple.com/a":             {"is not a web address, such as", "https://example.com/path"},
		"our menu":                           {"must start with https://", "https://example.com"},
		"ftp://example.com/our menu":         {"must start with https://", "https://example.com"},
		"http://example.com/our menu":        {"must use https", "https://example.com"},
		"https://bücher.example/a":           {host, "https://xn--bcher-kva.example/a"},
	} {
		_, err := target(t, given)
		require.ErrorContains(t, err, advice[0], given)
		_, err = target(t, advice[1])
		require.NoError(t, err)
	}
}

func FuzzAddress(f *testing.F) {
	for _, given := range append(hostile(), "https://example.com/a?b", "https://example.com?ä#ö",
		"mailto:a@example.com?subject=b", "tel:+1234") {
		f.Add(given)
	}
	f.Fuzz(func(t *testing.T, given string) {
		got, err := target(t, given)
		if err != nil {
			return
		}
		for _, r := range got {
			require.True(t, r > ' ' && r <= '~' && !strings.ContainsRune("\"<>\\^`{|}", r), "%q", got)
		}
		parsed, err := url.Parse(got)
		require.NoError(t, err)
		require.Contains(t, []string{"https", "mailto", "tel"}, parsed.Scheme)
		require.Nil(t, parsed.User)
		require.True(t, parsed.Scheme != "https" ||
			strings.HasPrefix(strings.ToLower(got), "https://"+strings.ToLower(parsed.Host)) && parsed.Host != "")
		again, err := target(t, got)
		require.NoError(t, err, "what is stored is accepted again")
		require.Equal(t, got, again)
	})
}

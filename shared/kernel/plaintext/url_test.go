package plaintext_test

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/kernel/plaintext"
)

func TestNormalization(t *testing.T) {
	t.Parallel()
	for given, want := range map[string]string{
		"http://a.example":                       "http://a.example",
		"HTTPS://A.example/B":                    "https://A.example/B",
		"http://[::1]:80/":                       "http://[::1]:80/",
		"http://localhost:3000/x?":               "http://localhost:3000/x?",
		"https://xn--bcher-kva.example/日本":       "https://xn--bcher-kva.example/%E6%97%A5%E6%9C%AC",
		"https://a.example/ä?ä=ö&b=%C3%A4+c#ü":   "https://a.example/%C3%A4?%C3%A4=%C3%B6&b=%C3%A4+c#%C3%BC",
		"https://a.example/a%2Fb%2f%61/ä":        "https://a.example/a%2Fb%2f%61/%C3%A4",
		"https://a.example/?u=http://b/?c#d%2Fä": "https://a.example/?u=http://b/?c#d%2F%C3%A4",
		"https://a.example/[a]!$&'()*+,;=:@-._~": "https://a.example/[a]!$&'()*+,;=:@-._~",
		"https://a.example/?%zz":                 "https://a.example/?%zz",
	} {
		parsed, err := plaintext.ParseURL(given)
		require.NoError(t, err, given)
		require.Equal(t, want, parsed.String())
	}
}

func refused() map[string]error {
	return map[string]error{
		"": plaintext.ErrForm, "a.example": plaintext.ErrForm, "//a.example": plaintext.ErrForm,
		"https:a.example":  plaintext.ErrForm,
		"https:/a.example": plaintext.ErrForm, "ftp://a.example": plaintext.ErrForm,
		"javascript:alert(1)": plaintext.ErrForm,
		"data:text/html,x":    plaintext.ErrForm, "mailto:a@a.example": plaintext.ErrForm,
		" https://a.example":   plaintext.ErrForm,
		"https://a.example/ b": plaintext.ErrForm, "https://a.example/\nb": plaintext.ErrForm,
		"https://a.example/\"x\"": plaintext.ErrForm,
		"https://a.example/<b>":   plaintext.ErrForm, "https://a.example\\@b.example": plaintext.ErrForm,
		"https://%61.example":  plaintext.ErrForm,
		"https://a.example:x/": plaintext.ErrForm, "https://a.example/\u2028b": plaintext.ErrForm,
		"https://a.example/\u3000b": plaintext.ErrForm,
		"https://a.example/\xff":    plaintext.ErrForm, "https://a.example/\u0085": plaintext.ErrForm,
		"https://a.example/%zz": plaintext.ErrForm,
		"https://u@a.example":   plaintext.ErrUser, "https://u:p@a.example/": plaintext.ErrUser,
		"https://@a.example/": plaintext.ErrUser,
		"https://ü@a.example": plaintext.ErrUser, "https://": plaintext.ErrNoHost, "https:///a": plaintext.ErrNoHost,
		"https://bücher.example": plaintext.ErrForeign, "https://b%C3%BCcher.example": plaintext.ErrForeign,
		"http://[fe80::1%25eth0]/": plaintext.ErrForeign,
	}
}

func TestRefusedAddresses(t *testing.T) {
	t.Parallel()
	for given, want := range refused() {
		parsed, err := plaintext.ParseURL(given)
		require.ErrorIs(t, err, want, given)
		require.Nil(t, parsed)
	}
}

// FuzzParse checks that an accepted address becomes printable ASCII, has the same target, and is accepted unchanged.
func FuzzParse(f *testing.F) {
	for given := range refused() {
		f.Add(given)
	}
	f.Add("https://a.example/a%2Fb/ä?ö=%C3%A4#ü")
	f.Add("http://0?ä") // package url does not encode queries
	f.Fuzz(func(t *testing.T, given string) {
		parsed, err := plaintext.ParseURL(given)
		if err != nil {
			return
		}
		kept := parsed.String()
		for _, r := range kept {
			require.True(t, r > ' ' && r <= '~' && !plaintext.NeverInURL(r), "%q", kept)
		}
		again, err := plaintext.ParseURL(kept)
		require.NoError(t, err)
		require.Equal(t, kept, again.String())
		if strings.Contains(given, "#") { // an empty fragment is dropped, and a second "#" is encoded
			return
		}
		want := parsed.Scheme
		for _, b := range []byte(given[len(parsed.Scheme):]) {
			if b < utf8.RuneSelf {
				want += string(rune(b))
			} else {
				want += fmt.Sprintf("%%%02X", b)
			}
		}
		require.Equal(t, want, kept, "all else stays as it was written")
	})
}

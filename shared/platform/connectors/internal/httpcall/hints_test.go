package httpcall_test

import (
	"math"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestWaitHints(t *testing.T) {
	t.Parallel()

	client := setupAt("https://example.com").client(t)
	day := start().Add(24 * time.Hour)
	for text, want := range map[string]time.Time{
		"":                              {},
		"soon":                          {},
		"-5":                            {},
		"0":                             {},
		"30":                            start().Add(30 * time.Second),
		"86401":                         day,
		"99999999999999999999":          {},
		"Sun, 01 Mar 2026 09:01:00 GMT": start().Add(time.Minute),
		"Sun, 01 Mar 2026 08:00:00 GMT": {},
		"Fri, 31 Dec 9999 23:59:59 GMT": day,
	} {
		require.Equal(t, want, client.RetryAfter(http.Header{"Retry-After": {text}}), text)
	}
	for text, want := range map[string]time.Time{
		"":                     {},
		"x":                    {},
		"1772355660":           start().Add(time.Minute),
		"1772355600":           {},
		"9223372036854775807":  day,
		"-9223372036854775808": {},
		"9223372036854775808":  {},
		"0":                    {},
	} {
		require.Equal(t, want, client.ResetAt(http.Header{"X-Rate-Limit-Reset": {text}}, "x-rate-limit-reset"), text)
	}
	require.Zero(t, client.After(math.NaN()))
	require.Equal(t, day, client.After(math.Inf(1)))
}

func TestPermalink(t *testing.T) {
	t.Parallel()

	production, development := setupAt("https://api.example.com").client(t), setupAt("http://127.0.0.1:1").client(t)
	long := "https://example.com/" + strings.Repeat("p", 2048-len("https://example.com/"))
	for link, want := range map[string][2]bool{
		"https://example.com/p/1?a=b":      {true, true},
		"http://example.com/p/1":           {false, true},
		"javascript:alert(1)":              {false, false},
		"//example.com/p/1":                {false, false},
		"/p/1":                             {false, false},
		"":                                 {false, false},
		"https://user@example.com/":        {false, false},
		"https://example.com/\r\nX: y":     {false, false},
		"https:///p":                       {false, false},
		"https://example.com/%zz":          {false, false},
		"https://example.com/\u0085":       {false, false},
		long:                               {true, true},
		long + "p":                         {false, false},
		"data:text/html,<script></script>": {false, false},
	} {
		require.Equal(t, want[0], production.Permalink(link) != "", link)
		require.Equal(t, want[1], development.Permalink(link) != "", link)
	}
}

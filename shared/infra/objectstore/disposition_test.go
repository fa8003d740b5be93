package objectstore_test

import (
	"mime"
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/infra/objectstore"
)

func disposition(t *testing.T, store *objectstore.Store, name string) string {
	t.Helper()
	signed, err := store.PresignGet(objectstore.GetTerms{Key: "a", Expires: time.Hour, FileName: name})
	require.NoError(t, err)
	return parse(t, signed.URL).Query().Get("response-content-disposition")
}

func TestFileNames(t *testing.T) {
	t.Parallel()
	store := open(t, example())
	long := strings.Repeat("é", 200)
	tests := []struct{ name, want string }{
		{"", `attachment`},
		{"summer.jpg", `attachment; filename="summer.jpg"`},
		{"my summer.jpg", `attachment; filename="my summer.jpg"`},
		{"Grüße.jpg", `attachment; filename="Gr__e.jpg"; filename*=UTF-8''Gr%C3%BC%C3%9Fe.jpg`},
		{"夏.png", `attachment; filename="_.png"; filename*=UTF-8''%E5%A4%8F.png`},
		{"👩‍🚀.png", `attachment; filename="___.png"; filename*=UTF-8''%F0%9F%91%A9%E2%80%8D%F0%9F%9A%80.png`},
		{"100%25.jpg", `attachment; filename="100_25.jpg"; filename*=UTF-8''100%2525.jpg`},
		{`a"; filename="evil.exe`, `attachment; filename="a_; filename=_evil.exe"`},
		{"a;b=c.jpg", `attachment; filename="a;b=c.jpg"`},
		{"../../etc/passwd", `attachment; filename="passwd"`},
		{`C:\Windows\x.jpg`, `attachment; filename="x.jpg"`},
		{"a/", `attachment`},
		{"..", `attachment`},
		{".htaccess", `attachment; filename="htaccess"`},
		{"a.jpg. . ", `attachment; filename="a.jpg"`},
		{"a\r\nSet-Cookie: x=y.jpg", `attachment; filename="aSet-Cookie_ x=y.jpg"`},
		{"a\x00b\x1b[31m.jpg", `attachment; filename="ab[31m.jpg"`},
		{"photo_\u202egpj.exe", `attachment; filename="photo_gpj.exe"`},
		{"\u2066a\u2069\u200f\ufeff.jpg", `attachment; filename="a.jpg"`},
		{"a\u2028b\u00a0c.jpg", `attachment; filename="ab c.jpg"`},
		{"a<b>c:d|e?f*.jpg", `attachment; filename="a_b_c_d_e_f_.jpg"`},
		{"\xff\xfe.jpg", `attachment; filename="_.jpg"`},
		{
			long + ".jpeg",
			`attachment; filename="` + strings.Repeat("_", 87) + `.jpeg"; filename*=UTF-8''` + strings.Repeat("%C3%A9",
				87) + ".jpeg",
		},
		{strings.Repeat("a", 10_000), `attachment; filename="` + strings.Repeat("a", 180) + `"`},
	}
	for _, test := range tests {
		require.Equal(t, test.want, disposition(t, store, test.name), "%q", test.name)
	}
}

func FuzzFileName(f *testing.F) {
	for _, seed := range []string{
		"a.jpg", "ä\u202e\"\r\n\\/.exe", "%41", "a;filename*=x", strings.Repeat("ü.", 300), "\xf0\x28",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, name string) {
		store, err := objectstore.New(example())
		require.NoError(t, err)
		value := disposition(t, store, name)
		require.Less(t, len(value), 1000)
		require.NotContains(t, strings.Map(func(r rune) rune {
			if r < ' ' || r > '~' {
				return '\uFFFD'
			}
			return r
		}, value), "\uFFFD", "ASCII alone")
		kind, parameters, err := mime.ParseMediaType(value)
		require.NoError(t, err, value)
		require.Equal(t, "attachment", kind)
		got := parameters["filename"]
		require.Subset(t, []string{"filename"}, keysOf(parameters))
		require.LessOrEqual(t, len(got), 180)
		require.True(t, utf8.ValidString(got))
		require.False(t, strings.ContainsFunc(got, func(r rune) bool {
			return unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) || strings.ContainsRune(`/\"<>:|?*`, r)
		}), "%q", got)
		require.False(t, strings.HasPrefix(got, "."), got)
	})
}

func keysOf(parameters map[string]string) []string {
	keys := make([]string, 0, len(parameters))
	for key := range parameters {
		keys = append(keys, key)
	}
	return keys
}

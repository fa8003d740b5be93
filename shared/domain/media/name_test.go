package media_test

import (
	"path"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/media"
)

func TestCleanName(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ name, contentType, want string }{
		{"summer.jpg", media.ContentTypeJPEG, "summer.jpg"},
		{"Summer 2026.JPEG", media.ContentTypeJPEG, "Summer 2026.JPEG"},
		{"Grüße 夏 👩‍🚀.png", media.ContentTypePNG, "Grüße 夏 👩‍🚀.png"},
		{"می‌خواهم.gif", media.ContentTypeGIF, "می‌خواهم.gif"},
		{"a: b? <c>.webp", media.ContentTypeWebP, "a: b? <c>.webp"},

		// Empty, or empty after cleaning.
		{"", media.ContentTypeJPEG, "file.jpg"},
		{"", media.ContentTypePNG, "file.png"},
		{"", media.ContentTypeWebP, "file.webp"},
		{"", media.ContentTypeGIF, "file.gif"},
		{"", media.ContentTypeHEIC, "file.heic"},
		{"", media.ContentTypeMP4, "file.mp4"},
		{"", media.ContentTypeMOV, "file.mov"},
		{"", media.ContentTypeWebM, "file.webm"},
		{"", media.ContentTypePDF, "file.pdf"},
		{"", "", "file"},
		{" .. ", media.ContentTypeJPEG, "file.jpg"},
		{".jpg", media.ContentTypeJPEG, "file.jpg"},
		{"photos/", media.ContentTypeJPEG, "file.jpg"},
		{"\u200d\u202e\x00", media.ContentTypeJPEG, "file.jpg"},

		// Paths.
		{"../../x", media.ContentTypeJPEG, "x.jpg"},
		{"../../etc/passwd", media.ContentTypePNG, "passwd.png"},
		{`C:\Windows\System32\x.png`, media.ContentTypePNG, "x.png"},
		{`..\..//a\b.png`, media.ContentTypePNG, "b.png"},
		{".htaccess", media.ContentTypeJPEG, "htaccess.jpg"},
		{"...hidden.jpg", media.ContentTypeJPEG, "hidden.jpg"},

		// Invisible characters.
		{"a\r\nSet-Cookie: x=y.jpg", media.ContentTypeJPEG, "a Set-Cookie: x=y.jpg"},
		{"a\x00b\x1b[31m\u0085.jpg", media.ContentTypeJPEG, "ab[31m.jpg"},
		{"photo_\u202egpj.exe", media.ContentTypePNG, "photo_gpj.png"},
		{"\u2066a\u2069\u200f\ufeff\u200b\u00ad.jpg", media.ContentTypeJPEG, "a.jpg"},
		{"a\u2028b\u2029c\u00a0\u3000d.jpg", media.ContentTypeJPEG, "a b c d.jpg"},
		{"photo.jpg" + strings.Repeat(" ", 200) + ".exe", media.ContentTypeJPEG, "photo.jpg.jpg"},
		{"\xff\xfe.jpg", media.ContentTypeJPEG, "_.jpg"},

		// Extensions that must match the type.
		{"page.html", media.ContentTypeJPEG, "page.jpg"},
		{"page.HTML", media.ContentTypePDF, "page.pdf"},
		{"page.html. .", media.ContentTypePDF, "page.pdf"},
		{"photo.png", media.ContentTypeJPEG, "photo.jpg"},
		{"video.m4v", media.ContentTypeMP4, "video.m4v"},
		{"video.m4v", media.ContentTypeWebM, "video.webm"},
		{"IMG_1.HEIF", media.ContentTypeHEIC, "IMG_1.HEIF"},
		{"image.php.gif", media.ContentTypeGIF, "image.php.gif"},
		{"Terms, v1.2", media.ContentTypePDF, "Terms, v1.2.pdf"},
		{"plan.v2", media.ContentTypePDF, "plan.v2.pdf"},
		{"Dr. No is a video", media.ContentTypeMP4, "Dr. No is a video.mp4"},
		{"page.ht\u200bml", media.ContentTypeJPEG, "page.jpg"},
		{"page.html", "text/html", "page"},
		{"page.php.html", "", "page"},

		// Too long.
		{strings.Repeat("a", 10_240), media.ContentTypeJPEG, strings.Repeat("a", 251) + ".jpg"},
		{strings.Repeat("é", 300) + ".jpeg", media.ContentTypeJPEG, strings.Repeat("é", 250) + ".jpeg"},
		{strings.Repeat("a", 250) + " . b", media.ContentTypeJPEG, strings.Repeat("a", 250) + ".jpg"},
		{strings.Repeat("a", 251) + ".jpg", media.ContentTypeJPEG, strings.Repeat("a", 251) + ".jpg"},
		{strings.Repeat("a", 250) + "👩‍🚀.jpg", media.ContentTypeJPEG, strings.Repeat("a", 250) + "👩.jpg"},
	} {
		require.Equal(t, test.want, media.CleanName(test.name, test.contentType), "%.80q as %s", test.name, test.contentType)
	}
}

// FuzzCleanName checks that every text results in a name that can be displayed and saved.
func FuzzCleanName(f *testing.F) {
	for _, seed := range []string{
		"a.jpg", "../../x", "ä\u202e\"\r\n\\/.exe", "page.html", "\xf0\x28", ".\u200d. .", "0.AA\u200d", "a\u200d.\u200d.",
		strings.Repeat("ü. ", 4_000),
	} {
		f.Add(seed, media.ContentTypeJPEG)
		f.Add(seed, "")
	}
	f.Fuzz(func(t *testing.T, text, contentType string) {
		name := media.CleanName(text, contentType)
		require.NotEmpty(t, name)
		require.True(t, utf8.ValidString(name), "%q", name)
		require.LessOrEqual(t, utf8.RuneCountInString(name), media.LongestName)
		require.False(t, strings.ContainsAny(name, `/\`), "%q", name)
		require.False(t, strings.ContainsFunc(name, func(r rune) bool {
			return unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) || unicode.IsSpace(r) && r != ' '
		}), "%q", name)
		require.NotContains(t, " .", name[:1], "%q", name)
		require.NotContains(t, " .", name[len(name)-1:], "%q", name)
		if _, ok := media.TypeOf(contentType); ok {
			require.Greater(t, len(path.Ext(name)), 2, "%q", name)
			require.NotContains(t, strings.ToLower(path.Ext(name)), "htm", "%q", name)
		}
		require.Equal(t, name, media.CleanName(name, contentType))
	})
}

func TestNameFault(t *testing.T) {
	t.Parallel()
	for _, name := range []string{
		"summer.jpg", "Summer 2026", "page.html", ".hidden", " a ", "Grüße 夏 👩‍🚀.png", "می‌خواهم", "\u200Eعربي\u200F",
		"a: b? <c>\"", "..",
	} {
		require.Empty(t, media.NameFault(name), "%q", name)
	}
	for name, fault := range map[string]string{
		"": "visible", "\u2003\u00a0": "visible", "\u200b\u00ad": "visible", "\n": "visible", "a/b": "path", `a\b`: "path",
		"../x": "path",
		"a\nb": "control", "a\x00": "control", "a\u0085": "control", "a\u2028b": "line breaks", "a\u202eb": "direction",
		"a\u2067b": "direction",
	} {
		require.Contains(t, media.NameFault(name), fault, "%q", name)
	}
}

package tools_test

import (
	"errors"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/stretchr/testify/require"

	"fencepost.internal/services/mcp/internal/tools"
)

func TestCleaned(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"plain": "plain", "": "", "a\nb\tc": "a\nb\tc", "é 日本語 العربية עברית": "é 日本語 العربية עברית",
		`"quoted" \ / back`:             `"quoted" \ / back`,
		"a\u202eb\u202cc\u2066d\u2069e": "abcde", "a\u200eb\u200fc\u061cd": "abcd", "a\u200bb\ufeffc\u2060d\u00ade": "abcde",
		"a\u0000b\u0007c\u001bd\u007fe\u0085f\r": "abcdef", "hi\U000E0041\U000E0042\U000E007F\U000E0001": "hi",
		"x\U000E0100y\U000E01EFz": "xyz",
		"👩\u200d👩\u200d👧\u200d👦 ❤\ufe0f 👍🏽 🇩🇪": "👩\u200d👩\u200d👧\u200d👦 ❤\ufe0f 👍🏽 🇩🇪", "می\u200cخواهم": "می\u200cخواهم",
		"क्\u200dष": "क्\u200dष", "\ufffd": "\ufffd",
	} {
		raw, err := json.Marshal(map[string]any{"text": text, "list": []string{text}})
		require.NoError(t, err)
		for _, form := range []string{string(raw), escaped(t, raw)} {
			out, err := tools.Cleaned([]byte(form))
			require.NoError(t, err)
			var got struct {
				Text string   `json:"text"`
				List []string `json:"list"`
			}
			require.NoError(t, json.Unmarshal(out, &got), string(out))
			require.Equal(t, want, got.Text)
			require.Equal(t, []string{want}, got.List)
		}
	}
}

// escaped returns the same JSON with escapes for all non-ASCII characters.
func escaped(t *testing.T, raw []byte) string {
	t.Helper()
	var out strings.Builder
	for _, r := range string(raw) {
		switch {
		case r < utf8.RuneSelf:
			out.WriteRune(r)
		default:
			for _, unit := range utf16Of(r) {
				out.WriteString(`\u` + hex4(unit))
			}
		}
	}
	require.True(t, jsontext.Value(out.String()).IsValid())
	return out.String()
}

func utf16Of(r rune) []uint16 {
	if r < 0x10000 {
		return []uint16{uint16(r)} //nolint:gosec // below 0x10000
	}
	r -= 0x10000
	return []uint16{uint16(0xD800 + r>>10), uint16(0xDC00 + r&0x3FF)} //nolint:gosec // surrogates
}

func hex4(unit uint16) string {
	const digits = "0123456789abcdef"
	return string([]byte{digits[unit>>12], digits[unit>>8&15], digits[unit>>4&15], digits[unit&15]})
}

func TestHidden(t *testing.T) {
	t.Parallel()
	for r := range unicode.MaxRune + 1 {
		switch {
		case r == '\n' || r == '\t' || r == 0x200C || r == 0x200D:
			require.False(t, tools.Hidden(r), "%U", r)
		case unicode.IsControl(r), unicode.Is(unicode.Cf, r), unicode.Is(unicode.Bidi_Control, r), r >= 0xE0000 &&
			r <= 0xE007F:
			require.True(t, tools.Hidden(r), "%U", r)
		case unicode.IsLetter(r), unicode.IsDigit(r), unicode.IsPunct(r), unicode.IsSymbol(r), r == ' ', r >= 0xFE00 &&
			r <= 0xFE0F:
			require.False(t, tools.Hidden(r), "%U", r)
		}
	}
}

// FuzzCleaned checks that valid JSON stays valid and equivalent, that no hidden character remains, and that a second
// pass changes nothing.
func FuzzCleaned(f *testing.F) {
	for _, seed := range []string{
		`{"a":"b"}`, `{"a":"\u202e","b":[1,true,null,"\ud83d\udc69"]}`, `"\ufeff"`, "\"\u200b\"", `[]`, `{"a\u0000":1}`,
		`{"a":1,"a\u200b":2}`, `"\n\t\r\u0009\""`, ` {"x" : 1e5 } `, `"\ud800"`,
		"\"\xff\"", `"\\u202e"`, `"\/\b\f"`, "\"\U000E0041\"",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		if !jsontext.Value(raw).IsValid() {
			return // results are always valid
		}
		out, err := tools.Cleaned(raw)
		if errors.Is(err, jsontext.ErrDuplicateName) {
			return // results have only fixed names
		}
		require.NoError(t, err)
		require.True(t, jsontext.Value(out).IsValid(), "%q", out)
		again, err := tools.Cleaned(out)
		require.NoError(t, err)
		require.Equal(t, string(out), string(again))
		var before, after any
		if json.Unmarshal(raw, &before) != nil {
			return // a number that this test cannot represent; it stays unchanged
		}
		require.NoError(t, json.Unmarshal(out, &after))
		require.Equal(t, withoutHidden(before), after)
	})
}

// withoutHidden removes hidden characters from a value, text by text.
func withoutHidden(value any) any {
	switch value := value.(type) {
	case string:
		return strings.Map(func(r rune) rune {
			if tools.Hidden(r) {
				return -1
			}
			return r
		}, value)
	case []any:
		for i := range value {
			value[i] = withoutHidden(value[i])
		}
	case map[string]any:
		out := map[string]any{}
		for name, member := range value {
			clean, _ := withoutHidden(name).(string)
			out[clean] = withoutHidden(member)
		}
		return out
	}
	return value
}

package post_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/post"
)

func TestParseSearch(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]post.Search{
		"spring":           {Words: []string{"spring"}, Parts: []string{"spring"}},
		"  two \n words  ": {Words: []string{"two", "words"}, Parts: []string{"two", "words"}},
		"same same":        {Words: []string{"same"}, Parts: []string{"same"}},
		"AI spring":        {Words: []string{"AI", "spring"}, Parts: []string{"spring"}, Whole: []string{"AI"}},
		"5G":               {Words: []string{"5G"}, Whole: []string{"5G"}},
		"#ai":              {Words: []string{"#ai"}, Whole: []string{"#ai"}},
		"a-b":              {Words: []string{"a-b"}, Whole: []string{"a-b"}},
		"a-bcd":            {Words: []string{"a-bcd"}, Parts: []string{"a-bcd"}},
		"猫":                {Words: []string{"猫"}, Pairs: []string{"猫"}},
		"東京":               {Words: []string{"東京"}, Pairs: []string{"東京"}},
		"東京都":              {Words: []string{"東京都"}, Pairs: []string{"東京", "京都"}},
		"서울":               {Words: []string{"서울"}, Pairs: []string{"서울"}},
		"ラーメン":             {Words: []string{"ラーメン"}, Pairs: []string{"ラー", "ーメ", "メン"}},
		"iPhone発売":         {Words: []string{"iPhone発売"}, Parts: []string{"iPhone発売"}, Pairs: []string{"発売"}},
		"über":             {Words: []string{"über"}, Parts: []string{"über"}},
		"🎉 party":          {Words: []string{"🎉", "party"}, Parts: []string{"party"}},
	} {
		got, fault := post.ParseSearch(text)
		require.Empty(t, fault, text)
		require.Equal(t, want, got, text)
		require.False(t, got.IsZero())
	}
	for text, want := range map[string]string{
		"":                       "must have a word with a letter or a digit",
		" ":                      "must have a word with a letter or a digit",
		"🎉 %":                    "must have a word with a letter or a digit",
		strings.Repeat("a", 201): "must have at most 200 characters",
		strings.Repeat("a ", 11): "must have at most 10 words",
	} {
		got, fault := post.ParseSearch(text)
		require.Equal(t, want, fault, text)
		require.True(t, got.IsZero())
	}
	_, fault := post.ParseSearch(strings.Repeat("語", 200))
	require.Empty(t, fault, "characters, not bytes")
}

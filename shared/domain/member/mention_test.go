package member_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/member"
	"fencepost.internal/shared/kernel/ident"
)

func TestMentioned(t *testing.T) {
	t.Parallel()
	var members []member.Member
	names := make(map[ident.User]string)
	for _, name := range []string{"Ann", "Anna Lee", "Anna", "Zoë", "Sam", "Sam", ""} {
		m := member.Member{UserID: ident.New[ident.User](), Name: name}
		members, names[m.UserID] = append(members, m), name
	}
	for text, want := range map[string][]string{
		"nothing":                   {},
		"@Ann: look":                {"Ann"},
		"@Anna Lee and @Zoë, look!": {"Anna Lee", "Zoë"},
		"@Anna Leeward":             {"Anna"},
		"@Annabel":                  {},
		"@ Ann, Ann":                {},
		"x@Ann":                     {"Ann"},
		"@Sam @Sam":                 {"Sam", "Sam"},
	} {
		got := []string{}
		for _, id := range member.Mentioned(text, members) {
			got = append(got, names[id])
		}
		require.ElementsMatch(t, want, got, text)
	}
}

func TestPartsShowWhoIsNamed(t *testing.T) {
	t.Parallel()
	names := []string{"Ann", "Anna Lee", "Anna", "Zoë", ""}
	for text, want := range map[string]string{
		"": "", "nothing": "nothing", "@Ann: look": "[@Ann]: look", "for @Anna Lee and @Zoë": "for [@Anna Lee] and [@Zoë]",
		"@Anna Leeward @Annabel @": "[@Anna] Leeward @Annabel @", "@Ann@Ann": "[@Ann][@Ann]",
	} {
		got := ""
		for _, part := range member.Parts(text, names) {
			if part.Names {
				part.Text = "[" + part.Text + "]"
			}
			got += part.Text
		}
		require.Equal(t, want, got)
	}
}

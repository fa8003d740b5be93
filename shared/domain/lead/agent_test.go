package lead_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/lead"
	"fencepost.internal/shared/kernel/apperr"
)

func TestSettingsOfTheAgent(t *testing.T) {
	t.Parallel()
	checked, err := lead.Agent{Mode: lead.AgentCreates, Words: []string{" raku* ", "", "raku*", "焼き物", "black glaze"}}.Check()
	require.NoError(t, err)
	require.Equal(t, lead.Agent{Mode: lead.AgentCreates, Words: []string{"raku*", "焼き物", "black glaze"}}, checked)
	for name, wrong := range map[string]lead.Agent{
		"a mode that does not exist": {Mode: "SOMETIMES"},
		"a word of one letter":       {Mode: lead.AgentOff, Words: []string{"x"}},
		"a word of stars":            {Mode: lead.AgentOff, Words: []string{"***"}},
		"a word that is too long":    {Mode: lead.AgentOff, Words: []string{strings.Repeat("x", 61)}},
		"a word on two lines":        {Mode: lead.AgentOff, Words: []string{"x\ny"}},
		"too many words":             {Mode: lead.AgentOff, Words: strings.Fields(numbered(101))},
	} {
		_, err := wrong.Check()
		require.True(t, apperr.Is(err, apperr.ValidationFailed), name)
		require.Len(t, apperr.FieldsOf(err), 1, name)
	}
}

// numbered returns words.
func numbered(count int) string {
	var b strings.Builder
	for i := range count {
		b.WriteString("word" + strings.Repeat("i", i%50) + strings.Repeat("o", i/50) + " ")
	}
	return b.String()
}

func TestRestsAfterADecision(t *testing.T) {
	t.Parallel()
	rejected := lead.Suggestion{State: lead.SuggestionRejected, DecidedAt: now}
	require.True(t, rejected.Rests(now.Add(30*24*time.Hour-time.Second)))
	require.False(t, rejected.Rests(now.Add(30*24*time.Hour)))
	require.True(t, lead.Suggestion{State: lead.SuggestionMuted, DecidedAt: now}.Rests(now.AddDate(9, 0, 0)))
	require.False(t, lead.Suggestion{State: lead.SuggestionAccepted, DecidedAt: now}.Rests(now))
	require.False(t, lead.Suggestion{}.Rests(now))
}

// TestSuggestedIsALead checks that what networks report of people never prevents a lead.
func TestSuggestedIsALead(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"Tilda": "Tilda", "": "Someone", "\u202eEvil": "Someone", "a\nb": "Someone", " " + strings.Repeat("ü", 300): strings.Repeat("ü", 200), "\xff": "Someone",
	} {
		in := lead.Suggested(name, name, "TELEGRAM", nil, "How much?\x00\r\n"+strings.Repeat("ü", 4000))
		change, err := lead.Create(in, now)
		require.NoError(t, err, name)
		require.Equal(t, want, change.Lead.Name)
		require.Equal(t, lead.SourceAgent, change.Lead.Source)
		require.Len(t, []rune(change.Lead.Interest), lead.MaxInterest)
	}
	in := lead.Suggested("Jo", "", "WHATSAPP", []string{"US.1", "491712345678"}, "Price?")
	require.Equal(t, []string{"+491712345678", "Price?", ""}, []string{in.ContactPhone, in.Interest, in.ProfileURL})
}

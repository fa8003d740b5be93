package lead

import (
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"fencepost.internal/shared/kernel/apperr"
	"fencepost.internal/shared/kernel/ident"
	"fencepost.internal/shared/kernel/plaintext"
)

// AgentMode says what the Sales Lead agent does in a workspace.
type AgentMode string

// The modes of the agent.
const (
	AgentOff      AgentMode = "OFF"
	AgentSuggests AgentMode = "SUGGEST" // members decide
	AgentCreates  AgentMode = "CREATE"
)

// AgentModes lists every mode.
func AgentModes() []AgentMode { return []AgentMode{AgentOff, AgentSuggests, AgentCreates} }

// Agent holds the settings of the agent in a workspace.
type Agent struct {
	Mode  AgentMode
	Words []string // of people who buy, beside those of all workspaces
}

// Limits of the words of a workspace.
const (
	MaxWords = 100
	MaxWord  = 60
	minWord  = 2
)

// Check returns the settings as they are stored; VALIDATION_FAILED with every fault at once.
func (a Agent) Check() (Agent, error) {
	var f faults
	oneOf(&f, "mode", a.Mode, AgentModes())
	checked := Agent{Mode: a.Mode}
	for _, word := range a.Words {
		text, fault := plaintext.Line(word, MaxWord)
		switch length := len([]rune(text)); {
		case fault != "":
			f.add("words", "“%.70s” %s", word, fault)
		case length == 0:
		case length < minWord || strings.Trim(text, "* ") == "":
			f.add("words", "“%s” is too short", text)
		case !slices.Contains(checked.Words, text):
			checked.Words = append(checked.Words, text)
		}
	}
	if len(checked.Words) > MaxWords {
		f.add("words", "has %d entries; at most %d are allowed", len(checked.Words), MaxWords)
	}
	return checked, apperr.Invalid(f)
}

// SuggestionState is the state of a suggestion.
type SuggestionState string

// The states of a suggestion.
const (
	SuggestionOpen     SuggestionState = "OPEN"
	SuggestionAccepted SuggestionState = "ACCEPTED" // it became a lead
	SuggestionRejected SuggestionState = "REJECTED"
	SuggestionMuted    SuggestionState = "MUTED" // the person is never suggested again
)

// Suggestion is a person whom the agent suggests as a lead.
type Suggestion struct {
	ID             ident.Suggestion
	WorkspaceID    ident.Workspace
	PersonID       ident.Person
	ConversationID ident.Conversation // with the first message
	State          SuggestionState
	Score          int
	LeadID         ident.Lead // while accepted; zero: the lead was deleted
	DecidedAt      time.Time  // zero: while open, or if the agent creates leads by itself
	CreatedAt      time.Time
}

// restsFor is the time for which a person whose suggestion was rejected is not suggested.
const restsFor = 30 * 24 * time.Hour

// Rests reports whether the person is not to be suggested now because of an earlier suggestion.
func (s Suggestion) Rests(now time.Time) bool {
	return s.State == SuggestionMuted || s.State == SuggestionRejected && now.Before(s.DecidedAt.Add(restsFor))
}

// Suggested returns the input of the lead that a suggestion becomes. Names are as networks report them: what a lead cannot
// have is left out.
func Suggested(name, username string, on Platform, names []string, text string) New {
	in := New{Name: plain(name, MaxName), Handle: plain(username, MaxHandle), Platform: on, Source: SourceAgent}
	if in.Name == "" {
		in.Name = "Someone"
	}
	in.ProfileURL, in.ContactPhone = on.Reach(in.Handle, names)
	if runes := []rune(plaintext.Normalize(text)); len(runes) > MaxInterest {
		in.Interest = string(runes[:MaxInterest-1]) + "…"
	} else {
		in.Interest = string(runes)
	}
	return in
}

// plain returns a text of a network as one line, cut to a length; empty if it is none.
func plain(text string, longest int) string {
	if !utf8.ValidString(text) {
		return ""
	}
	runes := []rune(strings.TrimSpace(text))
	line, fault := plaintext.Line(string(runes[:min(len(runes), longest)]), longest)
	if fault != "" {
		return ""
	}
	return line
}

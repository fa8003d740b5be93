// Package suggest shows suggestions of the Sales Lead agent: the person, the messages with the words that matter, and the rules
// that applied. The template is "suggestion" of the frame's components, with the style sheet suggest.css.
package suggest

import (
	"cmp"
	"strings"
	"unicode/utf8"

	"fencepost.internal/services/console/internal/frame"
	"fencepost.internal/shared/domain/credential"
	"fencepost.internal/shared/domain/lead"
	"fencepost.internal/shared/domain/lead/score"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/kernel/ident"
)

// Style is the style sheet of the template.
const Style = "suggest.css"

// Suggestion is a suggestion as a page shows it.
type Suggestion struct {
	Person   string
	Network  string
	On       string // the channel
	Talk     string // address of the conversation
	Here     string // the conversation whose page shows it; empty: a list does
	Path     string // of the decisions
	Score    int
	Heat     string
	Flame    string
	Messages []Message
	May      bool // the visitor decides
}

// Message is a message to which rules applied.
type Message struct {
	Parts   []Part
	Reasons []Reason
}

// Part is a part of a text, marked if it is a word that matters.
type Part struct {
	Text string
	Mark bool
}

// Reason is a rule that applied, in words.
type Reason struct {
	Text   string
	Weight int
}

// Of returns a suggestion for a page, of the conversation here if there is one.
func Of(v *frame.Visit, s postgres.SuggestedPerson, here ident.Conversation) Suggestion {
	heat := score.Temperature(s.Score)
	name := s.Name
	if name == "" && s.Username != "" {
		name = "@" + s.Username
	}
	out := Suggestion{
		Person: cmp.Or(name, "Someone"), Network: string(s.ChannelType.Network()), On: s.ChannelName,
		Talk: v.Path("/inbox/" + s.ConversationID.String()), Path: v.Path("/leads/suggestions/" + s.ID.String()), Score: s.Score,
		Heat:  strings.ToLower(string(heat)),
		Flame: map[lead.Temperature]string{lead.TemperatureHot: "flame", lead.TemperatureWarm: "thermometer", lead.TemperatureCold: "snowflake"}[heat],
		May:   v.Principal.Allows(credential.LeadsManage),
	}
	if !here.IsZero() {
		out.Here = here.String()
	}
	for _, m := range s.Messages {
		shown := Message{Parts: parts(m.Text, m.Reasons)}
		for _, r := range m.Reasons {
			shown.Reasons = append(shown.Reasons, Reason{inWords(r.Rule), r.Weight})
		}
		out.Messages = append(out.Messages, shown)
	}
	return out
}

func inWords(rule score.Rule) string {
	return map[score.Rule]string{
		score.Price: "price or amount", score.Buying: "words of a buyer", score.Contact: "mail address or number",
		score.Place: "date, place or delivery", score.Product: "one of your products", score.Campaign: "below a post with a link",
		score.First: "first message in 30 days", score.Trouble: "job, support or complaint", score.Spam: "looks like spam",
	}[rule]
}

// longest is the number of bytes of a text that are shown.
const longest = 400

// parts returns a text with the words marked to which rules applied.
func parts(text string, reasons []score.Reason) (list []Part) {
	marked := make([]bool, len(text)+1)
	for _, r := range reasons {
		for _, s := range r.Words {
			for at := max(s.Start, 0); at < min(s.End, len(text)); at++ {
				marked[at] = true
			}
		}
	}
	end := len(text)
	if end > longest {
		end = longest
		for !utf8.RuneStart(text[end]) {
			end--
		}
	}
	for from := 0; from < end; {
		to := from + 1
		for to < end && (marked[to] == marked[from] || !utf8.RuneStart(text[to])) {
			to++
		}
		list = append(list, Part{text[from:to], marked[from]})
		from = to
	}
	if end < len(text) {
		list = append(list, Part{Text: "…"})
	}
	return list
}

// Package score estimates by rules how likely it is that the author of a message wants to buy. The rules are pure and
// explain themselves: each result has the rules that applied and the words in the message.
//
// Words are in words/LANGUAGE.txt, for 12 languages. A workspace adds its own.
package score

import (
	"cmp"
	"slices"

	"fencepost.internal/shared/domain/lead"
)

// Rule is a reason for a score.
type Rule string

// The rules.
const (
	Price    Rule = "PRICE"    // a question about a price, or with an amount of money
	Buying   Rule = "BUYING"   // words of people who buy
	Contact  Rule = "CONTACT"  // a mail address or a telephone number
	Place    Rule = "PLACE"    // a question about date, place, delivery or availability
	Product  Rule = "PRODUCT"  // a product of a link page
	Campaign Rule = "CAMPAIGN" // below a post with a call to action
	First    Rule = "FIRST"    // the first message of a person, or the first after a long time
	Trouble  Rule = "TROUBLE"  // about a job, support or a complaint
	Spam     Rule = "SPAM"     // only links, the same text to many, or words of known spam
)

// weights are what each rule adds.
var weights = map[Rule]int{
	Price: 25, Buying: 25, Contact: 20, Place: 15, Product: 15, Campaign: 10, First: 5, Trouble: -20, Spam: -60,
}

// Rules lists every rule, the one that adds most first.
func Rules() []Rule {
	return []Rule{Price, Buying, Contact, Place, Product, Campaign, First, Trouble, Spam}
}

const (
	// Suggested is the score from which a person is suggested as a lead.
	Suggested = 30

	warm, hot, most = 30, 60, 100
)

// Message is a message with what is known of it.
type Message struct {
	Text     string
	First    bool // the person has not written for a long time, or never
	Campaign bool // it is below a post with a call to action
	Repeated bool // several people wrote the same
}

// Span is a part of the text: the bytes from Start up to End.
type Span struct {
	Start int `json:"start"`
	End   int `json:"end"`
}

// Reason is a rule that applied, with the words to which it did. Rules about circumstances have none.
type Reason struct {
	Rule   Rule   `json:"rule"`
	Weight int    `json:"weight"`
	Words  []Span `json:"words,omitempty"`
}

// Result is the score of a message with its reasons.
type Result struct {
	Score   int // 0 to 100
	Reasons []Reason
}

// Temperature returns the temperature of a score.
func Temperature(score int) lead.Temperature {
	switch {
	case score < warm:
		return lead.TemperatureCold
	case score < hot:
		return lead.TemperatureWarm
	default:
		return lead.TemperatureHot
	}
}

// shortest is the number of words up to which a text with a price is a question: "Price?", "the price please".
const shortest = 3

// Of returns the score of a message. Words may be nil.
func Of(m Message, own *Words) Result {
	text := fold(m.Text)
	found := match(text, own)
	contacts, links, amounts := scan(text)
	question := len(found[question]) > 0 || text.asks || text.words <= shortest

	applied := map[Rule][]Span{Buying: found[buying], Contact: contacts, Product: found[product], Trouble: found[trouble]}
	if question {
		applied[Price] = slices.Concat(found[price], amounts)
		applied[Place] = found[place]
	}
	applied[Spam] = found[spam]
	if len(links) > 0 && onlyLinks(m.Text, links) {
		applied[Spam] = links
	}
	holds := map[Rule]bool{First: m.First, Campaign: m.Campaign, Spam: m.Repeated}
	var r Result
	for _, rule := range Rules() {
		spans := applied[rule]
		if len(spans) == 0 && !holds[rule] {
			continue
		}
		r.Score += weights[rule]
		r.Reasons = append(r.Reasons, Reason{Rule: rule, Weight: weights[rule], Words: first(spans)})
	}
	r.Score = min(max(r.Score, 0), most)
	return r
}

// first returns the first words, in the order of the text and without those inside of others.
func first(spans []Span) []Span {
	const shown = 5
	slices.SortFunc(spans, func(a, b Span) int { return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(b.End, a.End)) })
	end := 0
	kept := slices.DeleteFunc(spans, func(s Span) bool {
		inside := s.Start < end
		end = max(end, s.End)
		return inside
	})
	return kept[:min(len(kept), shown)]
}

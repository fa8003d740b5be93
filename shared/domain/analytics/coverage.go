package analytics

import (
	"fmt"
	"slices"
	"strings"
)

// Coverage describes what a network reports about a kind of account and its posts, and how late.
type Coverage struct {
	Channel []Figure
	Posts   []Figure
	Late    int // days after which a day of a channel is complete; zero: it is a present count, or complete at once
}

// Reports reports whether the network has the figure of accounts, computed ones included.
func (c Coverage) Reports(f Figure) bool {
	if f == EngagementRate {
		return c.Reports(Engagements) && (c.Reports(Impressions) || c.Reports(Reach))
	}
	return slices.Contains(c.Channel, f)
}

// Words returns what the figures of a network lack, and how late they are, in one sentence about its name.
func (c Coverage) Words(name string) string {
	if len(c.Channel) == 0 && len(c.Posts) == 0 {
		return name + " gives no figures."
	}
	var gaps []string
	for _, f := range Charted() {
		if !c.Reports(f) {
			gaps = append(gaps, strings.ToLower(f.Name()))
		}
	}
	onlyFollowers := len(gaps) == len(Charted())-1 && c.Reports(Followers)
	var parts []string
	switch {
	case onlyFollowers:
		parts = append(parts, "gives followers only")
	case c.Late > 0:
		parts = append(parts, "gives figures after "+days(c.Late))
	default:
		parts = append(parts, "gives figures within a day")
	}
	if len(gaps) > 0 && !onlyFollowers {
		parts = append(parts, "no "+list(gaps, "or"))
	}
	if len(c.Posts) == 0 {
		parts = append(parts, "nothing about single posts")
	}
	return name + " " + list(parts, "and") + "."
}

func days(n int) string {
	if n == 1 {
		return "one day"
	}
	return fmt.Sprintf("%d days", n)
}

// list returns texts as an enumeration.
func list(texts []string, last string) string {
	if len(texts) < 2 { //nolint:mnd // an enumeration has two
		return strings.Join(texts, "")
	}
	return strings.Join(texts[:len(texts)-1], ", ") + " " + last + " " + texts[len(texts)-1]
}

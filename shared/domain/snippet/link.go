package snippet

import (
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"

	"fencepost.internal/shared/kernel/apperr"
	"fencepost.internal/shared/kernel/plaintext"
)

const (
	// MaxParameter is the maximum number of characters of a template of a link rule.
	MaxParameter = 100
	// MaxExcept is the maximum number of hosts that a link rule leaves out.
	MaxExcept = 100
)

// LinkRule says which parameters links in posts get for analytics. The templates may have the placeholders {network},
// {channel} and {date}. The zero rule adds none.
type LinkRule struct {
	Source   string   `json:"source,omitempty"`
	Medium   string   `json:"medium,omitempty"`
	Campaign string   `json:"campaign,omitempty"`
	Content  string   `json:"content,omitempty"`
	Except   []string `json:"except,omitempty"` // hosts whose links, with those of their subdomains, get none
	// Automatic makes the composer add the parameters without a click.
	Automatic bool `json:"automatic,omitempty"`
}

// Active reports whether the rule adds parameters.
func (r LinkRule) Active() bool { return r.Source != "" }

// Varies reports whether the parameters depend on the post.
func (r LinkRule) Varies() bool {
	return placeholder.MatchString(r.Source + r.Medium + r.Campaign + r.Content)
}

// Placement is where and when a link appears.
type Placement struct {
	Network string
	Channel string // name
	Date    time.Time
}

var (
	placeholder = regexp.MustCompile(`\{[^{}]*\}`)
	host        = regexp.MustCompile(`^[\pL\pM\pN-]+(\.[\pL\pM\pN-]+)+$`)
)

// Read returns a rule as it is stored, and what is wrong with it.
func (r LinkRule) Read() (LinkRule, []apperr.Field) {
	var faults []apperr.Field
	for _, part := range []struct {
		pointer string
		text    *string
	}{{"/source", &r.Source}, {"/medium", &r.Medium}, {"/campaign", &r.Campaign}, {"/content", &r.Content}} {
		text, fault := plaintext.Line(*part.text, MaxParameter)
		for _, found := range placeholder.FindAllString(text, -1) {
			if !slices.Contains([]string{"{network}", "{channel}", "{date}"}, found) {
				fault = fmt.Sprintf("has %s; the placeholders are {network}, {channel} and {date}", found)
			}
		}
		if fault != "" {
			faults = append(faults, apperr.Field{Pointer: part.pointer, Message: fault})
		}
		*part.text = text
	}
	if r.Source == "" && (r.Medium != "" || r.Campaign != "" || r.Content != "" || r.Automatic) {
		faults = append(faults, apperr.Field{Pointer: "/source", Message: "is empty; enter it, or remove the other parameters"})
	}
	var hosts []string
	for _, given := range r.Except {
		one := strings.ToLower(strings.TrimSpace(given))
		if _, rest, ok := strings.Cut(one, "://"); ok {
			one, _, _ = strings.Cut(rest, "/")
		}
		switch {
		case one == "" || slices.Contains(hosts, one):
		case !host.MatchString(one):
			faults = append(faults, apperr.Field{
				Pointer: "/except", Message: fmt.Sprintf("has “%s”, which is no host; enter hosts such as example.com", one),
			})
		default:
			hosts = append(hosts, one)
		}
	}
	if len(hosts) > MaxExcept {
		faults = append(faults, apperr.Field{Pointer: "/except", Message: fmt.Sprintf("has %d hosts; at most %d are allowed", len(hosts), MaxExcept)})
	}
	r.Except = hosts
	return r, faults
}

// Replacement is a link of a text with its parameters.
type Replacement struct{ From, To string }

// link matches addresses in a text, with the punctuation after them.
var link = regexp.MustCompile(`(?i)\bhttps?://[^\s<>"]+`)

// Links returns the addresses of a text, each once.
func Links(text string) (list []string) {
	for _, found := range link.FindAllString(text, -1) {
		if found = trimmed(found); !slices.Contains(list, found) {
			list = append(list, found)
		}
	}
	return list
}

// Replacements returns the links of a text that the rule changes, each once. A link that has a parameter utm_… is left
// alone, as are those of hosts that the rule leaves out.
func (r LinkRule) Replacements(text string, at Placement) []Replacement {
	if !r.Active() {
		return nil
	}
	var list []Replacement
	for _, found := range Links(text) {
		if to := r.tagged(found, at); to != found {
			list = append(list, Replacement{found, to})
		}
	}
	return list
}

// Tag returns a text with the parameters in its links.
func (r LinkRule) Tag(text string, at Placement) string {
	if !r.Active() {
		return text
	}
	return link.ReplaceAllStringFunc(text, func(found string) string {
		address := trimmed(found)
		return r.tagged(address, at) + found[len(address):]
	})
}

// trimmed returns an address without the punctuation of the sentence after it. A closing bracket belongs to the address
// if its opening one does.
func trimmed(address string) string {
	for {
		short := strings.TrimRight(address, ".,;:!?'*_~…»”’")
		for _, pair := range []string{"()", "[]", "{}"} {
			if strings.HasSuffix(short, pair[1:]) && strings.Count(short, pair[1:]) > strings.Count(short, pair[:1]) {
				short = short[:len(short)-1]
			}
		}
		if short == address {
			return address
		}
		address = short
	}
}

// tagged returns an address with the parameters. It changes nothing else of the address.
func (r LinkRule) tagged(address string, at Placement) string {
	parsed, err := url.Parse(address)
	if err != nil || parsed.Hostname() == "" {
		return address
	}
	name := strings.ToLower(parsed.Hostname())
	if slices.ContainsFunc(r.Except, func(except string) bool { return name == except || strings.HasSuffix(name, "."+except) }) {
		return address
	}
	for key := range strings.SplitSeq(parsed.RawQuery, "&") {
		if strings.HasPrefix(strings.ToLower(key), "utm_") {
			return address
		}
	}
	body, fragment, anchored := strings.Cut(address, "#")
	separator := "?"
	if parsed.RawQuery != "" {
		separator = "&"
	} else if parsed.ForceQuery {
		separator = ""
	}
	tagged := body + separator + r.query(at)
	if anchored {
		tagged += "#" + fragment
	}
	return tagged
}

// query returns the parameters.
func (r LinkRule) query(at Placement) string {
	values := strings.NewReplacer(
		"{network}", at.Network, "{channel}", strings.Join(strings.Fields(strings.ToLower(at.Channel)), "-"),
		"{date}", at.Date.Format(time.DateOnly),
	)
	var parts []string
	for _, one := range [][2]string{{"source", r.Source}, {"medium", r.Medium}, {"campaign", r.Campaign}, {"content", r.Content}} {
		if value := values.Replace(one[1]); value != "" {
			parts = append(parts, "utm_"+one[0]+"="+url.QueryEscape(value))
		}
	}
	return strings.Join(parts, "&")
}

package feed

import (
	"fmt"
	"hash/fnv"
	"net/url"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"fencepost.internal/services/sandbox/internal/fault"
	"fencepost.internal/services/sandbox/internal/ledger"
	"fencepost.internal/services/sandbox/internal/stage"
	"fencepost.internal/shared/domain/channel"
)

// view is the content of the feed's page.
type view struct {
	Platform, Account string
	Before, Older     uint64 // Seq cursors of this page and of the next one; zero if there is none
	Base              string
	Total             int
	Accounts          []string
	networks          []channel.Network
	Cards             []card
	Faults            []string
	Tag               string
}

// card is one post.
type card struct {
	ledger.Post

	Network  string // the network's display name
	Handle   string // the account, empty if it repeats the author's name
	Initials string
	Hue      int
	Path     string
	ISO      string
	Absolute string
	Relative string
	Files    []attachment
}

// chip is one network filter.
type chip struct {
	Name, Platform, Link string
	Chosen               bool
}

// Filtered reports whether a filter limits the posts.
func (v view) Filtered() bool { return v.Platform != "" || v.Account != "" }

// Chips returns the network filters. Each keeps the selected account.
func (v view) Chips() []chip {
	chips := []chip{{Name: "All"}}
	for _, n := range v.networks {
		chips = append(chips, chip{Name: n.Name(), Platform: string(n)})
	}
	for i := range chips {
		chips[i].Chosen = chips[i].Platform == v.Platform
		chips[i].Link = link(chips[i].Platform, v.Account, 0)
	}
	return chips
}

// OlderLink returns the link to the posts before this page's.
func (v view) OlderLink() string { return link(v.Platform, v.Account, v.Older) }

// NewestLink returns the link to the newest posts.
func (v view) NewestLink() string { return link(v.Platform, v.Account, 0) }

func link(platform, account string, before uint64) string {
	query := url.Values{}
	if platform != "" {
		query.Set("platform", platform)
	}
	if account != "" {
		query.Set("account", account)
	}
	if before > 0 {
		query.Set("before", strconv.FormatUint(before, 10))
	}
	if len(query) == 0 {
		return "/"
	}
	return "/?" + query.Encode()
}

func (f *Feed) card(p ledger.Post) card {
	if p.Author == "" {
		p.Author = p.Account
	}
	handle := p.Account
	if strings.TrimPrefix(handle, "@") == p.Author {
		handle = ""
	}
	return card{
		Post:     p,
		Handle:   handle,
		Network:  channel.Network(p.Platform).Name(),
		Initials: initials(p.Author),
		Hue:      hue(p.Platform + p.Account),
		Path:     stage.Page(p),
		ISO:      p.CreatedAt.UTC().Format(time.RFC3339Nano),
		Absolute: p.CreatedAt.UTC().Format("2 Jan 2006, 15:04:05 MST"),
		Relative: relative(f.stage.Clock.Now().Sub(p.CreatedAt)),
		Files:    attachments(p),
	}
}

// initials returns up to two letters or digits: the first ones of the name's first and last word.
func initials(name string) string {
	words := strings.FieldsFunc(name, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	if len(words) == 0 {
		return "?"
	}
	first, _ := utf8.DecodeRuneInString(words[0])
	letters := string(first)
	if len(words) > 1 {
		last, _ := utf8.DecodeRuneInString(words[len(words)-1])
		letters += string(last)
	}
	return strings.ToUpper(letters)
}

// hue picks one of the style sheet's avatar colours. A name always gets the same one.
func hue(name string) int {
	const colours = 8
	hash := fnv.New32a()
	_, _ = hash.Write([]byte(name))
	return int(hash.Sum32() % colours)
}

// relative formats an age in the same words as the page's script.
func relative(age time.Duration) string {
	const day = 24 * time.Hour
	switch {
	case age < 5*time.Second:
		return "just now"
	case age < time.Minute:
		return fmt.Sprintf("%d s ago", age/time.Second)
	case age < time.Hour:
		return fmt.Sprintf("%d min ago", age/time.Minute)
	case age < day:
		return fmt.Sprintf("%d h ago", age/time.Hour)
	case age < 2*day:
		return "1 day ago"
	default:
		return fmt.Sprintf("%d days ago", age/day)
	}
}

// describe describes a pending fault in words.
func describe(f fault.Fault) string {
	where := "any network"
	if f.Platform != "" {
		where = channel.Network(f.Platform).Name()
	}
	if f.Account != "" {
		where += " account " + f.Account
	}
	times := "until it is deleted"
	if f.Remaining > 0 {
		times = fmt.Sprintf("%d left", f.Remaining)
	}
	return fmt.Sprintf("%s on %s, step %s (%s)", f.Kind, where, f.Step, times)
}

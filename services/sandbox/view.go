package main

import (
	"cmp"
	"fmt"
	"hash/fnv"
	"net/url"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"fencepost.internal/services/sandbox/internal/ledger"
	"fencepost.internal/services/sandbox/internal/stage"
	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/media"
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
	Replies  []card // the posts below, in the order of the thread
}

// Latest returns the Seq of the newest post of the thread.
func (c card) Latest() uint64 {
	latest := c.Seq
	for _, reply := range c.Replies {
		latest = max(latest, reply.Seq)
	}
	return latest
}

// Above returns the path of the post that the post replies to.
func (c card) Above() string { return stage.Page(ledger.Post{Platform: c.Platform, ID: c.Parent}) }

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
	for name, value := range map[string]string{
		"platform": platform, "account": account, "before": strings.TrimLeft(strconv.FormatUint(before, 10), "0"),
	} {
		if value != "" {
			query.Set(name, value)
		}
	}
	return strings.TrimSuffix("/?"+query.Encode(), "?")
}

// thread returns a post with those below it.
func (f *Feed) thread(root ledger.Post) card {
	c := f.card(root)
	for _, reply := range f.stage.Ledger.Below(root.Platform, root.ID) {
		c.Replies = append(c.Replies, f.card(reply))
	}
	return c
}

func (f *Feed) card(p ledger.Post) card {
	p.Author = cmp.Or(p.Author, p.Account)
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
func describe(f stage.Fault) string {
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

// attachment is one media file of a post.
type attachment struct {
	ledger.Media

	Path  string // path of the bytes
	Label string // alternative text
	Bytes string // human-readable size
	Shows string // the HTML element: picture, video or link
}

// attachments returns the post's media in post order.
func attachments(p ledger.Post) []attachment {
	shown := make([]attachment, len(p.Media))
	for i, m := range p.Media {
		a := attachment{Media: m, Path: stage.MediaPath(m.SHA256), Bytes: bytesOf(m.Size), Shows: shows(m)}
		if a.Label = m.AltText; a.Label == "" {
			a.Label = kindName(m.Type)
			if len(p.Media) > 1 {
				a.Label += fmt.Sprintf(" %d of %d", i+1, len(p.Media))
			}
			a.Label += ", without a description"
		}
		shown[i] = a
	}
	return shown
}

// shows returns the HTML element for a file. HEIC and AVIF images get a link, because most browsers cannot show them.
func shows(m ledger.Media) string {
	switch kind := media.Type(m.Type); {
	case m.ContentType == media.ContentTypeHEIC, m.ContentType == media.ContentTypeAVIF, kind == media.Document:
		return "link"
	case kind == media.Video:
		return "video"
	default:
		return "picture"
	}
}

func kindName(kind string) string {
	names := map[media.Type]string{
		media.Video: "Video", media.GIF: "Animation", media.Document: "Document", media.Image: "Picture",
	}
	return cmp.Or(names[media.Type(kind)], "File")
}

func bytesOf(size int64) string {
	const kilo, mega = 1 << 10, 1 << 20
	switch {
	case size < kilo:
		return fmt.Sprintf("%d bytes", size)
	case size < mega:
		return fmt.Sprintf("%.0f KiB", float64(size)/kilo)
	default:
		return fmt.Sprintf("%.1f MiB", float64(size)/mega)
	}
}

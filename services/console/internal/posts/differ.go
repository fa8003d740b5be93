package posts

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
	"unicode"

	"fencepost.internal/services/console/internal/frame"
	"fencepost.internal/services/internal/app"
	"fencepost.internal/shared/domain/event"
	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/kernel/ident"
)

// piece is a part of a text: in one version only, or in both. Mark is del, ins, mark or empty.
type piece struct{ Text, Mark string }

// picture is an attachment of a version.
type picture struct {
	app.DeliveredAsset

	Mark string // removed or new
}

// version is the content of a post, with what another version does not have.
type version struct {
	Title    []piece
	Text     []piece
	Pictures []picture
}

// difference between the approved version and the present one, apart from texts and pictures.
type changed struct{ Name, Was, Is string }

// mostWords is the number of words up to which texts are compared word by word.
const mostWords = 1500

// compared returns the words of both texts, with those that only one of them has.
func compared(was, is string) (before, after []piece) {
	a, b := words(was), words(is)
	if len(a) > mostWords || len(b) > mostWords {
		return []piece{{was, "del"}}, []piece{{is, "ins"}}
	}
	common := make([][]uint16, len(a)+1) // lengths of the longest common rest
	for i := range common {
		common[i] = make([]uint16, len(b)+1)
	}
	for i := len(a) - 1; i >= 0; i-- {
		for j := len(b) - 1; j >= 0; j-- {
			if common[i][j] = max(common[i+1][j], common[i][j+1]); a[i] == b[j] {
				common[i][j] = common[i+1][j+1] + 1
			}
		}
	}
	i, j := 0, 0
	for i < len(a) || j < len(b) {
		switch {
		case i < len(a) && j < len(b) && a[i] == b[j]:
			before, after = joined(before, a[i], ""), joined(after, b[j], "")
			i, j = i+1, j+1
		case j == len(b) || i < len(a) && common[i+1][j] >= common[i][j+1]:
			before = joined(before, a[i], "del")
			i++
		default:
			after = joined(after, b[j], "ins")
			j++
		}
	}
	return before, after
}

func joined(list []piece, text, mark string) []piece {
	if n := len(list); n > 0 && list[n-1].Mark == mark {
		list[n-1].Text += text
		return list
	}
	return append(list, piece{text, mark})
}

// words splits a text into words, and the characters between them.
func words(text string) (list []string) {
	inWord := false
	for _, r := range text {
		letter := unicode.IsLetter(r) || unicode.IsDigit(r)
		if letter && inWord {
			list[len(list)-1] += string(r)
		} else {
			list = append(list, string(r))
		}
		inWord = letter
	}
	return list
}

// pictured marks the attachments that the other version does not have.
func marked(assets []app.DeliveredAsset, other []ident.Media, mark string) []picture {
	list := make([]picture, len(assets))
	for i, one := range assets {
		list[i].DeliveredAsset = one
		if !slices.Contains(other, one.ID) {
			list[i].Mark = mark
		}
	}
	return list
}

// changes returns the rows of what differs apart from texts and pictures. Times are in UTC, for Prose.
func changes(was postgres.Approved, is post.Post, media []app.DeliveredAsset) (rows []changed) {
	add := func(name, before, after string) {
		if before != after {
			rows = append(rows, changed{name, before, after})
		}
	}
	clock := func(at time.Time) string {
		if at.IsZero() {
			return ""
		}
		return event.FormatTime(at)
	}
	if !is.ScheduledAt.IsZero() && was.ScheduledAt != nil {
		add("Time", clock(*was.ScheduledAt), clock(is.ScheduledAt))
	}
	add("Kind", frame.Words(was.ContentType), frame.Words(is.ContentType))
	for i, one := range media {
		add(fmt.Sprintf("Description of picture %d", i+1), was.AltTexts[one.ID], is.MediaAltTexts[one.ID])
	}
	for i := range max(len(was.Parts.Thread), len(is.Thread)) {
		add(fmt.Sprintf("Part %d", i+2), partText(was.Parts.Thread, i), partText(is.Thread, i))
	}
	add("First comment", was.Parts.Comment.Content, is.Comment.Content)
	before, after := settings(was.Options), settings(is.Options)
	for _, name := range slices.Sorted(maps.Keys(merged(before, after))) {
		add(frame.Sentence(spaced(name)), before[name], after[name])
	}
	return rows
}

// partText returns the text of a part of a thread, with the number of its pictures; empty if there is no such part.
func partText(thread []post.Part, i int) string {
	if i >= len(thread) {
		return ""
	}
	text := thread[i].Content
	if n := len(thread[i].MediaIDs); n > 0 {
		text += fmt.Sprintf(" (%d files)", n)
	}
	return strings.TrimSpace(text)
}

func merged(a, b map[string]string) map[string]string {
	both := maps.Clone(a)
	maps.Copy(both, b)
	return both
}

// settings returns options as texts by their names.
func settings(of post.Options) map[string]string {
	raw, _ := json.Marshal(of) //nolint:errchkjson // texts, numbers and flags only
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.UseNumber()
	values, texts := map[string]any{}, map[string]string{}
	_ = decoder.Decode(&values)
	for name, value := range values {
		switch value {
		case true:
			texts[name] = "yes"
		case false:
			texts[name] = "no"
		default:
			texts[name] = fmt.Sprint(value)
		}
	}
	return texts
}

// spaced returns the words of a name such as shareToFeed.
func spaced(name string) string {
	var text strings.Builder
	for _, r := range name {
		if unicode.IsUpper(r) {
			_ = text.WriteByte(' ')
		}
		_, _ = text.WriteRune(unicode.ToLower(r))
	}
	return text.String()
}

// mentions marks the names of members after an @ in a comment.
func mentions(text string, names []string) []piece {
	list := []piece{{Text: text}}
	for _, name := range names {
		for i := 0; i < len(list); i++ {
			before, after, found := strings.Cut(list[i].Text, "@"+name)
			if list[i].Mark != "" || !found {
				continue
			}
			list = slices.Replace(list, i, i+1, piece{Text: before}, piece{"@" + name, "mark"}, piece{Text: after})
		}
	}
	return list
}

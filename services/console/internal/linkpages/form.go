package linkpages

import (
	"cmp"
	"encoding/json"
	"net/url"
	"strconv"
	"strings"
	"time"

	"fencepost.internal/services/console/internal/frame"
	"fencepost.internal/services/console/internal/poststate"
	"fencepost.internal/shared/domain/linkpage"
	"fencepost.internal/shared/domain/media"
	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/kernel/ident"
)

const (
	prefix   = "s." // of the inputs of a block's settings
	clock    = ".time"
	midnight = "00:00"
)

// field is a field of a form, as it is drawn.
type field struct {
	Name   string // of the input, also its ID
	Label  string
	Hint   string
	Fault  string
	Draw   string // line, lines, url, select, switch, number, moment, picture, list
	Value  string
	Clock  string // beside Value, which is a date
	On     bool
	Needed bool
	Max    int
	Words  []word
	Rows   [][]field // of a list
	Item   string    // names one of them
}

// word is a value and what people read.
type word struct{ Value, Text string }

// form draws the settings of a block from its descriptor.
type form struct {
	values   url.Values
	faults   map[string]string
	pictures []word
	posts    []word
}

// filled returns a form with the choices that its fields offer.
func (p *pages) filled(v *frame.Visit, d linkpage.Descriptor, values url.Values, faults map[string]string) (list []field, err error) {
	f := form{values: values, faults: faults}
	for _, one := range d.Fields {
		switch one.Kind { //nolint:exhaustive // the others offer nothing
		case linkpage.KindImage:
			f.pictures, err = p.pictures(v, values.Get(prefix+one.Name))
		case linkpage.KindPost:
			f.posts, err = p.posts(v, values.Get(prefix+one.Name))
		}
		if err != nil {
			return nil, err
		}
	}
	return f.fields(d.Fields, prefix, "settings/"), nil
}

func (f form) fields(of []linkpage.Field, prefix, pointer string) []field {
	list := make([]field, len(of))
	for i, one := range of {
		list[i] = f.field(one, prefix+one.Name, pointer+one.Name)
	}
	return list
}

func (f form) field(of linkpage.Field, name, pointer string) field {
	w := wordingOf(of)
	drawn := field{
		Name: name, Label: w.Label, Hint: w.Hint, Fault: f.faults[pointer], Draw: "line", Value: f.values.Get(name),
		Needed: of.Required, Max: of.Max,
	}
	switch of.Kind {
	case linkpage.KindText:
		drawn.Draw = "lines"
	case linkpage.KindAddress:
		drawn.Draw = "url"
	case linkpage.KindNumber:
		drawn.Draw, drawn.Max = "number", 0
	case linkpage.KindFlag:
		drawn.Draw, drawn.On = "switch", drawn.Value == "yes"
	case linkpage.KindTime:
		drawn.Draw, drawn.Clock = "moment", f.values.Get(name+clock)
	case linkpage.KindChoice:
		drawn.Draw, drawn.Value = "select", cmp.Or(drawn.Value, of.Values[0])
		for _, value := range of.Values {
			drawn.Words = append(drawn.Words, word{value, cmp.Or(choice(value), frame.Words(value))})
		}
	case linkpage.KindImage:
		drawn.Draw, drawn.Words = "picture", f.pictures
	case linkpage.KindPost:
		drawn.Draw, drawn.Words = "select", f.posts
	case linkpage.KindList:
		drawn.Draw, drawn.Item = "list", strings.TrimSuffix(w.Label, "s")
		for n := range max(1, rowsIn(f.values, name)) {
			at := "." + strconv.Itoa(n) + "."
			drawn.Rows = append(drawn.Rows, f.fields(of.Items, name+at, pointer+"/"+strconv.Itoa(n)+"/"))
		}
	case linkpage.KindLine, linkpage.KindAmount, linkpage.KindCurrency:
	}
	return drawn
}

// rowsIn returns the number of rows of a list that a form has.
func rowsIn(values url.Values, name string) (n int) {
	for key := range values {
		rest, own := strings.CutPrefix(key, name+".")
		text, _, _ := strings.Cut(rest, ".")
		if at, err := strconv.Atoi(text); own && err == nil && at >= 0 && at < linkpage.MaxItems {
			n = max(n, at+1)
		}
	}
	return n
}

// valuesOf returns the settings of a block as its form has them.
func valuesOf(b linkpage.Block, zone *time.Location) url.Values {
	values := url.Values{}
	put(values, prefix, b.Settings.Fields(), zone)
	if b.Visible {
		values.Set("visible", "yes")
	}
	moment(values, "showFrom", b.ShowFrom, zone)
	moment(values, "showUntil", b.ShowUntil, zone)
	return values
}

func put(values url.Values, prefix string, fields []linkpage.Field, zone *time.Location) {
	for _, f := range fields {
		name := prefix + f.Name
		switch value := f.Value().(type) {
		case string:
			values.Set(name, value)
		case bool:
			if value {
				values.Set(name, "yes")
			}
		case int:
			if value != 0 {
				values.Set(name, strconv.Itoa(value))
			}
		case time.Time:
			moment(values, name, value, zone)
		case ident.Media:
			if !value.IsZero() {
				values.Set(name, value.String())
			}
		case ident.Post:
			values.Set(name, value.String())
		case [][]linkpage.Field:
			for n, item := range value {
				put(values, name+"."+strconv.Itoa(n)+".", item, zone)
			}
		}
	}
}

func moment(values url.Values, name string, at time.Time, zone *time.Location) {
	if !at.IsZero() {
		values.Set(name, at.In(zone).Format(time.DateOnly))
		values.Set(name+clock, at.In(zone).Format("15:04"))
	}
}

// sent returns the values of a form without surrounding space, and without the rows of lists that are empty.
func sent(typed url.Values, d linkpage.Descriptor) url.Values {
	values := url.Values{}
	for name := range typed {
		values.Set(name, strings.TrimSpace(typed.Get(name)))
	}
	for _, f := range d.Fields {
		if f.Kind != linkpage.KindList {
			continue
		}
		kept := 0
		for n := range rowsIn(values, prefix+f.Name) {
			from, empty := prefix+f.Name+"."+strconv.Itoa(n)+".", true
			row := make(map[string]string, len(f.Items))
			for _, item := range f.Items {
				row[item.Name] = values.Get(from + item.Name)
				empty = empty && row[item.Name] == ""
				values.Del(from + item.Name)
			}
			if empty {
				continue
			}
			for name, value := range row {
				values.Set(prefix+f.Name+"."+strconv.Itoa(kept)+"."+name, value)
			}
			kept++
		}
	}
	return values
}

// settingsOf returns the settings of a form as a client of the domain writes them; null is a field without a value.
func settingsOf(values url.Values, d linkpage.Descriptor, zone *time.Location) json.RawMessage {
	raw, _ := json.Marshal(members(values, d.Fields, prefix, zone)) // texts, numbers and flags
	return raw
}

func members(values url.Values, fields []linkpage.Field, prefix string, zone *time.Location) map[string]any {
	list := make(map[string]any, len(fields))
	for _, f := range fields {
		name := prefix + f.Name
		list[f.Name] = member(values, f, name, zone)
	}
	return list
}

func member(values url.Values, f linkpage.Field, name string, zone *time.Location) any {
	text := values.Get(name)
	switch f.Kind { //nolint:exhaustive // the others are texts
	case linkpage.KindFlag:
		return text == "yes"
	case linkpage.KindNumber:
		if n, err := strconv.Atoi(text); err == nil {
			return n
		}
	case linkpage.KindTime:
		if at, given := instant(values, name, zone); given {
			return at
		}
		return nil
	case linkpage.KindList:
		items := make([]any, rowsIn(values, name))
		for n := range items {
			items[n] = members(values, f.Items, name+"."+strconv.Itoa(n)+".", zone)
		}
		return items
	}
	if text == "" {
		return nil
	}
	return text
}

// instant returns the time of two inputs, or the text that is none; false without both.
func instant(values url.Values, name string, zone *time.Location) (string, bool) {
	day, hour := values.Get(name), values.Get(name+clock)
	if day == "" && hour == "" {
		return "", false
	}
	at, err := time.ParseInLocation("2006-01-02 15:04", day+" "+cmp.Or(hour, midnight), zone)
	if err != nil {
		return day + " " + hour, true
	}
	return at.Format(time.RFC3339), true
}

// faultsOf returns what is wrong with a block, in the words of its form.
func faultsOf(err error, d linkpage.Descriptor) (map[string]string, bool) {
	faults, refused := sentences(err)
	for _, f := range d.Fields {
		at := "settings/" + f.Name
		if faults[at] == "" || faults[at] == "Fill this in." {
			continue
		}
		switch f.Kind { //nolint:exhaustive // the others have the domain's words
		case linkpage.KindTime:
			faults[at] = "Choose a day and a time."
		case linkpage.KindNumber:
			faults[at] = "Enter a number from " + strconv.Itoa(f.Min) + " to " + strconv.Itoa(f.Max) + "."
		case linkpage.KindList:
			faults[at] = "Enter at least one."
		}
	}
	return faults, refused
}

// pictures returns the last pictures of the library, with the chosen one.
func (p *pages) pictures(v *frame.Visit, chosen string) ([]word, error) {
	const offered = 24
	found, err := p.app.MediaList(v.Request.Context(), v.Principal, postgres.MediaFilter{Type: media.Image, Ready: true, Limit: offered})
	list := []word{{"", "No picture"}}
	known := chosen == ""
	for _, one := range found {
		list = append(list, word{one.ID.String(), one.Name})
		known = known || one.ID.String() == chosen
	}
	if id, parseErr := ident.Parse[ident.Media](chosen); !known && parseErr == nil && err == nil {
		named, readErr := p.app.Attachments(v.Request.Context(), v.Principal, []ident.Media{id})
		if err = readErr; len(named) == 1 {
			list = append(list, word{chosen, named[0].Name})
		}
	}
	return list, err
}

// posts returns the last published posts, with the chosen one.
func (p *pages) posts(v *frame.Visit, chosen string) ([]word, error) {
	const offered = 50
	found, err := p.app.Posts(v.Request.Context(), v.Principal, postgres.PostFilter{Statuses: []post.Status{post.Published}, Limit: offered})
	list := []word{{"", "Choose a post"}}
	known := chosen == ""
	for _, one := range found {
		list = append(list, word{one.ID.String(), poststate.Words(one)})
		known = known || one.ID.String() == chosen
	}
	if id, parseErr := ident.Parse[ident.Post](chosen); !known && parseErr == nil && err == nil {
		named, readErr := p.app.PostsNamed(v.Request.Context(), v.Principal, []ident.Post{id})
		if err = readErr; len(named) == 1 {
			list = append(list, word{chosen, poststate.Words(named[0])})
		}
	}
	return list, err
}

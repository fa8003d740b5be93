package options

import (
	"bytes"
	"cmp"
	"embed"
	"fmt"
	"html/template"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"fencepost.internal/services/console/internal/frame"
	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/platform"
	"fencepost.internal/shared/platform/rules"
)

//go:embed templates/options.html
var files embed.FS

var templates = template.Must(template.New("options").Funcs(template.FuncMap{"icon": frame.Icon}).
	ParseFS(files, "templates/options.html"))

// Values of inputs that set a flag.
const (
	yes = "yes"
	no  = "no"
)

// disclose is the switch before the two kinds of advertisements on TikTok. It is no option of its own.
const disclose = "disclose"

// Form is the form of a channel's options.
type Form struct {
	Channel channel.Channel
	Fields  []Field
	Creator *platform.CreatorInfo
	Problem string
	Summary string // what is chosen, in a few words
	Faulty  bool   // a field has a fault
}

// Field is a field of the form.
type Field struct {
	Name   string // of the option
	Input  string // name and id of the input
	Label  string
	Hint   string
	Fault  string
	Draw   Draw
	Value  string
	Time   string // beside Value, which is the date
	Words  []word
	On     bool
	Locked string // why the field cannot be changed; empty if it can
	Needed bool
	Max    int
	For    string // CSS classes of the topics that have the field; empty: all
	// Again means that the choices of other fields follow from this one: the page asks for the form again.
	Again bool
	Group bool  // shown below the switch disclose
	Quiet bool  // not in the summary, because the option that it needs is not set
	Video Video // of which a frame is chosen
}

// Whole returns the length of the video, in seconds.
func (v Video) Whole() string { return strconv.FormatFloat(v.Length.Seconds(), 'f', 3, 64) }

// Draw is the form in which a field is drawn.
type Draw string

// Drawings.
const (
	Select Draw = "select"
	Switch Draw = "switch"
	Line   Draw = "line"
	URL    Draw = "url"
	Lines  Draw = "lines"
	Moment Draw = "moment"
	Frame  Draw = "frame"
)

// Empty reports whether the network has no options.
func (f Form) Empty() bool { return len(f.Fields) == 0 }

// HTML returns the fields. The page has the form around them.
func (f Form) HTML() (template.HTML, error) {
	var out bytes.Buffer
	if err := templates.ExecuteTemplate(&out, "options", f); err != nil {
		return "", fmt.Errorf("options: %w", err)
	}
	return template.HTML(out.String()), nil //nolint:gosec // G203: the output of a template
}

// TikTok reports whether the form needs TikTok's sentences.
func (f Form) TikTok() bool { return f.Channel.Type.Network() == channel.NetworkTikTok }

// Form returns the form with the options of a post. The names of inputs begin with the prefix.
func (s Source) Form(current post.Options, prefix string) Form {
	return s.form(s.valuesOf(current), prefix, nil)
}

// Again returns the form as it was filled in, with the faults that Parse found.
func (s Source) Again(typed url.Values, prefix string, faults map[string]string) Form {
	values := make(map[string]string)
	for name, list := range typed {
		if own, is := strings.CutPrefix(name, prefix); is && len(list) > 0 {
			values[own] = list[0]
		}
	}
	for _, option := range s.shown() {
		if option.Is == rules.LocalTime && values[option.Name+".time"] != "" {
			values[option.Name] += "T" + values[option.Name+".time"]
		}
	}
	return s.form(values, prefix, faults)
}

// shown returns the options that have an effect on the post.
func (s Source) shown() []rules.Option {
	return slices.DeleteFunc(slices.Clone(s.Options), func(o rules.Option) bool {
		return len(s.Kinds) > 0 && (o.Only != "" && !slices.Contains(s.Kinds, o.Only) || o.TextOnly)
	})
}

func (s Source) form(values map[string]string, prefix string, faults map[string]string) Form {
	f := Form{Channel: s.Channel, Creator: s.Said.Creator, Problem: s.Said.Problem, Faulty: len(faults) > 0}
	for _, option := range s.shown() {
		if values[option.Name] == "" && wordingOf(s.Channel.Type.Network(), option.Name).Kept {
			continue
		}
		field := s.field(option, values[option.Name])
		field.Quiet = option.Needs != "" && values[option.Needs] == ""
		if field.Name == "brandContent" { // after the switch that opens both
			on := values[disclose] == yes || values["brandContent"] == yes || values["brandOrganic"] == yes
			f.Fields = append(f.Fields, Field{
				Name: disclose, Label: "Disclose an advertisement", Draw: Switch, On: on,
				Hint: "Turn on if the post promotes a brand, a product or a service.",
			})
		}
		f.Fields = append(f.Fields, field)
	}
	for i := range f.Fields {
		f.Fields[i].Input = prefix + f.Fields[i].Name
		f.Fields[i].Fault = faults[f.Fields[i].Name]
	}
	f.Summary = f.summary()
	return f
}

// field returns the field of an option with a value.
func (s Source) field(option rules.Option, value string) Field {
	w := wordingOf(s.Channel.Type.Network(), option.Name)
	field := Field{
		Name: option.Name, Label: w.Label, Hint: w.Hint, Value: value, Max: option.Max, Needed: option.Required,
		For: strings.ToLower(strings.Join(w.For, " ")),
	}
	switch option.Is {
	case rules.Flag:
		field.Draw, field.On = Switch, value == yes
		if !w.Off && !w.Plain {
			field.Draw, field.Words = Select, w.Words
		}
	case rules.Word:
		field.Draw = Select
		for _, one := range w.Words {
			if slices.Contains(option.Values, one.Value) {
				field.Words = append(field.Words, one)
			}
		}
	case rules.Integer:
		field.Draw = Select
		for _, one := range w.Words {
			if option.Allows(one.Value) {
				field.Words = append(field.Words, one)
			}
		}
	case rules.List:
		field.Draw, field.Max = Lines, 0 // that of a line
	case rules.Language:
		field.Draw = Line
	case rules.Number, rules.ID:
		field.Draw, field.Words = Line, w.Words
		if len(w.Words) > 0 || s.lists(option.Name) {
			field.Draw = Select
		}
	case rules.Moment:
		field.Draw, field.Video = Frame, s.Video
	case rules.Address:
		field.Draw = URL
	case rules.Prose:
		const line = 200
		field.Draw = Line
		if option.Max > line {
			field.Draw = Lines
		}
	case rules.LocalTime:
		field.Draw = Moment
		field.Value, field.Time, _ = strings.Cut(value, "T")
	}
	s.offer(&field)
	if field.Draw == Select {
		choose(&field, w)
	}
	return field
}

// lists reports whether the network lists the values of an option.
func (Source) lists(name string) bool { return name == "boardId" || name == "boardSectionId" }

// choose completes the choices: the choice of no value, and a value that is no longer offered.
func choose(f *Field, w wording) {
	f.Value = cmp.Or(f.Value, w.Default)
	if f.Value != "" && !slices.ContainsFunc(f.Words, func(one word) bool { return one.Value == f.Value }) {
		f.Words = append(f.Words, word{f.Value, f.Value})
	}
	if w.None != "" {
		f.Words = slices.Insert(slices.Clone(f.Words), 0, word{"", w.None})
	}
}

// offer applies what the network said.
func (s Source) offer(f *Field) {
	creator := s.Said.Creator
	lock := func(is bool, why string) {
		if is {
			f.Locked, f.On = why, false
		}
	}
	switch f.Name {
	case "privacy":
		if creator != nil {
			f.Words = slices.DeleteFunc(f.Words, func(one word) bool {
				return !slices.Contains(creator.PrivacyLevelOptions, one.Value)
			})
		}
		f.Needed = true
	case "allowComments":
		lock(creator != nil && creator.CommentDisabled, "The account has turned comments off.")
	case "allowDuet":
		lock(creator != nil && creator.DuetDisabled, "The account has turned duets off.")
	case "allowStitch":
		lock(creator != nil && creator.StitchDisabled, "The account has turned stitches off.")
	case "brandContent", "brandOrganic":
		f.Group = true
	case "boardId":
		f.Again = true
		for _, board := range s.Said.Boards {
			text := board.Name
			if board.Privacy == "SECRET" {
				text += " (secret)"
			}
			f.Words = append(f.Words, word{board.ID, text})
		}
	case "boardSectionId":
		for _, section := range s.Said.Sections {
			f.Words = append(f.Words, word{section.ID, section.Name})
		}
	case "longText":
		premium := s.Channel.Facts.Premium
		lock(premium != nil && !*premium, "This account has no X Premium.")
	}
}

// summary returns what is chosen, in a few words.
func (f Form) summary() string {
	var parts []string
	for _, one := range f.Fields {
		switch text := one.text(); {
		case one.Quiet:
		case one.Needed && one.Value == "" && one.Draw == Select:
			parts = append(parts, strings.ToLower(one.Label)+" not chosen")
		case text != "":
			parts = append(parts, text)
		}
	}
	return strings.Join(parts, ", ")
}

// text returns what a field adds to the summary.
func (f *Field) text() string {
	switch f.Draw {
	case Select:
		at := slices.IndexFunc(f.Words, func(one word) bool { return one.Value == f.Value && f.Value != "" })
		if at >= 0 {
			return f.Words[at].Text
		}
	case Switch:
		if f.On {
			return strings.ToLower(f.Label)
		}
	case Line:
		return f.Value
	case Frame:
		if f.Value != "" {
			return "cover at " + f.Value + " s"
		}
	case URL, Lines, Moment:
	}
	return ""
}

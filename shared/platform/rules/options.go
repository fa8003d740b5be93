package rules

import (
	"fmt"
	"maps"
	"net/url"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/media"
	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/platform"
	"fencepost.internal/shared/platform/rules/textlen"
)

// Option is a post setting that a platform supports (docs/contract.md, Platform endpoints).
type Option struct {
	Name     string // the JSON member of post.Options
	Is       Kind
	Values   []string // of a Word; of an Integer, if only some are allowed
	Max      int      // characters of an Address, of Prose or of an entry of a List
	Range    Span     // of an Integer; of the number of entries of a List
	Required bool
	Meaning  string // what the option sets, without a full stop
	// Only restricts the option's effect to media of this type. Empty means any post.
	Only media.Type
	// Strict means that the option is refused, not omitted, in other posts than those of Only and TextOnly.
	Strict bool
	// As restricts the option's effect to posts of these content types. Empty means any post.
	As []post.ContentType
	// TextOnly restricts the option's effect to posts without attachments.
	TextOnly bool
	// Longest is the longest text of a post with the option, in characters. Zero means that of any post.
	Longest int
	// Most is the largest number of attachments with which the option has an effect. Zero means any.
	Most int
	// Needs is another option without which this one is refused.
	Needs string
	// Excludes lists options that cannot be used beside this one.
	Excludes []string
	// Overrules lists the options that have no effect if this Flag is true.
	Overrules []string
	// DropsTextOf is the media type of posts that lose their text if this Flag is true.
	DropsTextOf media.Type
}

// Kind is the type of an option's value.
type Kind int

// The kinds.
const (
	Flag      Kind = iota // true or false
	Word                  // one of Values
	Number                // digits
	ID                    // an identifier on the network, of digits
	Address               // an http or https URL
	Prose                 // a text
	LocalTime             // a date, or a date and a time, without a zone
	Moment                // a time in the video, in milliseconds
	Integer               // a number in Range
	List                  // texts
	Language              // a tag of a language, like en or pt-BR
)

// CheckOptions returns every finding about the options by themselves: options that the platform does not support,
// invalid values, and missing required options. It returns nil for a type that cannot be published to.
func (t Table) CheckOptions(kind channel.Type, options post.Options) []platform.Finding {
	row, ok := t.Of(kind)
	if !ok {
		return nil
	}
	c := checker{row: row}
	c.options(options)
	return c.findings
}

func (c *checker) options(options post.Options) {
	given := said(options)
	for _, option := range c.row.Options {
		if _, ok := find(given, option.Name); option.Required && !ok {
			c.fault(member(option.Name), "%s needs %s, %s; add it.", c.row.Name, option.Name, option.Meaning)
		}
	}
	for _, value := range given {
		at := slices.IndexFunc(c.row.Options, func(o Option) bool { return o.Name == value.name })
		if at < 0 {
			c.fault(member(value.name), "%s has no option %s; remove it.", c.row.Name, value.name)
			continue
		}
		option := c.row.Options[at]
		if fault := option.faultOf(value); fault != "" {
			c.fault(member(value.name), "%s", fault)
		}
		if _, ok := find(given, option.Needs); option.Needs != "" && !ok {
			c.fault(member(value.name), "%s needs %s; add it, or remove %s.", value.name, option.Needs, value.name)
		}
		for _, name := range option.Excludes {
			if _, ok := find(given, name); ok {
				c.fault(member(value.name), "%s cannot be used with %s; remove one of them.", value.name, name)
			}
		}
	}
	if c.row.OptionFaults != nil {
		faults := c.row.OptionFaults(options)
		for _, name := range slices.Sorted(maps.Keys(faults)) {
			c.fault(member(name), "%s", faults[name])
		}
	}
	c.overruled(given)
}

// overruled warns about options that another option disables.
func (c *checker) overruled(given []value) {
	for _, option := range c.row.Options {
		if ruler, ok := find(given, option.Name); !ok || !ruler.flag {
			continue
		}
		for _, name := range option.Overrules {
			if _, ok := find(given, name); ok {
				c.warn(member(name), "%s has no effect with %s; it will be omitted.", name, option.Name)
			}
		}
	}
}

// optionsBesideContent warns about options, and about text, that have no effect in this post.
func (c *checker) optionsBesideContent() {
	given := said(c.content.Options)
	for _, option := range c.row.Options {
		value, ok := find(given, option.Name)
		if !ok {
			continue
		}
		if option.Only != "" && len(c.content.Media) > 0 && !c.carries(option.Only) && option.Strict {
			c.fault(member(option.Name), "%s applies to %ss only; remove it.", option.Name, noun(option.Only))
		} else if option.Only != "" && len(c.content.Media) > 0 && !c.carries(option.Only) {
			c.warn(member(option.Name), "%s applies to %ss only; it will be omitted.", option.Name, noun(option.Only))
		}
		if len(option.As) > 0 && !slices.Contains(option.As, c.content.ContentType) {
			c.warn(member(option.Name), "%s applies to posts of type %s only; it will be omitted.", option.Name,
				list(words(option.As), "or"))
		}
		if option.TextOnly && option.Strict && len(c.content.Media) > 0 {
			c.fault(member(option.Name), "%s cannot be used with attachments; remove it, or the attachments.", option.Name)
		} else if option.TextOnly && len(c.content.Media) > 0 {
			c.warn(member(option.Name), "%s applies to posts without attachments only; it will be omitted.", option.Name)
		}
		if option.Most > 0 && len(c.content.Media) > option.Most {
			c.warn(member(option.Name), "%s applies to posts with at most %s; it will be omitted.", option.Name,
				plural(option.Most, "attachment"))
		}
		if length := textlen.Characters(c.content.Text); option.Longest > 0 && length > option.Longest {
			c.fault("content", "The text of a post with %s has at most %s characters; this one has %s. Shorten it.",
				option.Name, number(option.Longest), number(length))
		}
		if option.Is == Moment {
			c.moment(option, value)
		}
		if value.flag && option.DropsTextOf != "" && c.carries(option.DropsTextOf) && c.content.Text != "" {
			c.warn("content", "The text of a %s is not sent with %s; write it on %s.", noun(option.DropsTextOf), option.Name,
				c.row.Name)
		}
	}
}

// moment refuses a time after the end of the video.
func (c *checker) moment(option Option, given value) {
	at, err := strconv.ParseInt(given.text, 10, 64)
	for _, asset := range c.content.Media {
		if whole := asset.Probe.Duration; asset.Type == media.Video && whole > 0 && err == nil && at > whole.Milliseconds() {
			c.fault(member(option.Name), "%s is after the end of the video, which lasts %s seconds; choose an earlier frame.",
				option.Name, number(int(whole.Seconds())))
		}
	}
}

func (c *checker) carries(t media.Type) bool {
	return slices.ContainsFunc(c.content.Media, func(asset media.Asset) bool { return asset.Type == t })
}

// idPattern matches identifiers on the networks.
var idPattern = regexp.MustCompile(`^[0-9]{1,32}$`)

var numberPattern = regexp.MustCompile(`^[0-9]{1,9}$`)

// languagePattern matches tags of languages (RFC 5646): a language, and its script, its region or its variants.
var languagePattern = regexp.MustCompile(`^[A-Za-z]{2,3}(?:-[A-Za-z0-9]{2,8}){0,3}$`)

// faultOf returns the problem with the value and the remedy, or an empty string if the value is valid. It does not
// repeat the value, which is untrusted.
func (o Option) faultOf(given value) string {
	value := given.text
	switch o.Is {
	case Word:
		if !slices.Contains(o.Values, value) {
			return fmt.Sprintf("%s must be %s.", o.Name, list(o.Values, "or"))
		}
	case Integer:
		return o.faultOfInteger(value)
	case List:
		return o.faultOfList(given.list)
	case Language:
		if !languagePattern.MatchString(value) {
			return o.Name + " must be the tag of a language, like en or pt-BR."
		}
	case Number, Moment:
		if !numberPattern.MatchString(value) {
			return fmt.Sprintf("%s must be a number in digits: %s.", o.Name, o.Meaning)
		}
	case ID:
		if !idPattern.MatchString(value) {
			return o.Name + " must be an id of up to 32 digits. Copy it from the network's list."
		}
	case Address:
		if !isAddress(value) || textlen.Characters(value) > o.Max {
			return fmt.Sprintf("%s must be an http or https URL of up to %s characters.", o.Name, number(o.Max))
		}
	case Prose:
		if length := textlen.Characters(value); length > o.Max {
			return fmt.Sprintf("%s is %s too long: it has %s, and %s are allowed. Shorten it.",
				o.Name, plural(length-o.Max, "character"), number(length), number(o.Max))
		}
	case LocalTime:
		if _, _, ok := ParseLocalTime(value); !ok {
			return o.Name + " must be a date like 2026-03-01, or a date and a time like 2026-03-01T09:00."
		}
	case Flag:
	}
	return ""
}

// Allows reports whether an Integer may have the value, in digits.
func (o Option) Allows(digits string) bool {
	number, err := strconv.Atoi(digits)
	return err == nil && o.Range.side(float64(number)) == within && (len(o.Values) == 0 || slices.Contains(o.Values, digits))
}

func (o Option) faultOfInteger(digits string) string {
	allowed := o.Range.String()
	if len(o.Values) > 0 {
		allowed = list(o.Values, "or")
	}
	if o.Allows(digits) {
		return ""
	}
	return fmt.Sprintf("%s must be %s: %s.", o.Name, allowed, o.Meaning)
}

func (o Option) faultOfList(entries []string) string {
	if o.Range.side(float64(len(entries))) != within {
		return fmt.Sprintf("%s must have %s entries; this one has %s.", o.Name, o.Range, number(len(entries)))
	}
	for i, entry := range entries {
		switch length := textlen.Characters(entry); {
		case strings.TrimSpace(entry) == "":
			return fmt.Sprintf("Entry %d of %s is empty; remove it.", i+1, o.Name)
		case slices.Contains(entries[:i], entry):
			return fmt.Sprintf("Entry %d of %s is there twice; remove it.", i+1, o.Name)
		case o.Max > 0 && length > o.Max:
			return fmt.Sprintf("Entry %d of %s is %s too long: it has %s, and %s are allowed. Shorten it.",
				i+1, o.Name, plural(length-o.Max, "character"), number(length), number(o.Max))
		}
	}
	return ""
}

// ParseLocalTime parses a value of the kind LocalTime. The result timed reports whether it has a time.
func ParseLocalTime(text string) (at time.Time, timed, ok bool) {
	if at, err := time.Parse("2006-01-02T15:04", text); err == nil {
		return at, true, true
	}
	at, err := time.Parse(time.DateOnly, text)
	return at, false, err == nil
}

func isAddress(text string) bool {
	address, err := url.Parse(text)
	return err == nil && (address.Scheme == "http" || address.Scheme == "https") && address.Hostname() != "" &&
		address.User == nil && !strings.ContainsAny(text, " \t\r\n")
}

// value is a member of post.Options that is set.
type value struct {
	name string // in JSON
	text string // for all kinds except flags and lists; a number in digits
	flag bool
	list []string
}

// said returns the members that are set, in the order of post.Options. It reads the struct's fields by reflection, so
// that every platform refuses a new field until its row supports it.
func said(options post.Options) []value {
	var values []value
	for field, v := range reflect.ValueOf(options).Fields() {
		if v.IsZero() {
			continue
		}
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		flag, _ := v.Interface().(*bool)
		text, _ := v.Interface().(string)
		entries, _ := v.Interface().([]string)
		if entries != nil && len(entries) == 0 {
			continue
		}
		if count, _ := v.Interface().(*int64); count != nil {
			text = strconv.FormatInt(*count, 10)
		}
		values = append(values, value{name: name, text: text, flag: flag != nil && *flag, list: entries})
	}
	return values
}

func find(values []value, name string) (value, bool) {
	at := slices.IndexFunc(values, func(v value) bool { return v.name == name })
	if at < 0 {
		return value{}, false
	}
	return values[at], true
}

func member(option string) string { return "options/" + option }

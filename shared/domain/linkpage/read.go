package linkpage

import (
	"regexp"
	"slices"
	"strings"

	"socialpub.internal/shared/kernel/apperr"
	"socialpub.internal/shared/kernel/ident"
)

// Maximum lengths of texts in blocks, in characters, and maximum numbers of parts.
const (
	MaxBlockTitle  = 100
	MaxDescription = 300
	MaxText        = 5000
	MaxNotice      = 200
	MaxButton      = 40
	MaxCode        = 40
	MaxQuestion    = 200
	MaxAnswer      = 2000
	MaxQuote       = 1000
	MaxItems       = 30
	MaxRating      = 5
)

// ReadSettings parses the settings of a block of the given type from JSON. It returns VALIDATION_FAILED with every
// fault at once; pointers start with /settings.
func ReadSettings(t BlockType, raw []byte) (Settings, error) {
	var f faults
	settings := f.settings("/settings", t, raw)
	return settings, apperr.Invalid(f)
}

// settings returns nil only if it reported a fault.
func (f *faults) settings(at string, t BlockType, raw []byte) Settings {
	read, known := readers()[t]
	if !known {
		return nil // the unknown type is reported elsewhere
	}
	o, ok := newObject(at, raw, f)
	if !ok {
		return nil
	}
	settings := read(o)
	o.end()
	return settings
}

func readers() map[BlockType]func(object) Settings {
	return map[BlockType]func(object) Settings{
		TypeLink: readLink, TypeText: readText, TypeSection: readSection, TypePostCard: readPostCard, TypeProduct: readProduct,
		TypeCoupon: readCoupon, TypeCountdown: readCountdown, TypeNoticeBar: readNoticeBar, TypeFAQ: readFAQ, TypeTestimonial: readTestimonial,
	}
}

func readLink(o object) Settings {
	return Link{
		Title: o.line("title", MaxBlockTitle, required), URL: o.address(required), Description: o.line("description", MaxDescription, optional),
		Image: o.image(), Featured: o.flag("featured"),
	}
}

func readText(o object) Settings {
	return Text{Text: o.text("text", MaxText, required), Align: choice(o, "align", []Alignment{AlignStart, AlignCenter})}
}

func readSection(o object) Settings {
	return Section{Title: o.line("title", MaxBlockTitle, required), Description: o.text("description", MaxDescription, optional)}
}

func readPostCard(o object) Settings {
	return PostCard{PostID: reference[ident.Post](o, "postId", required), Caption: o.line("caption", MaxDescription, optional)}
}

func readProduct(o object) Settings {
	s := Product{
		Name: o.line("name", MaxBlockTitle, required), Description: o.text("description", MaxDescription, optional),
		URL: o.address(required), Button: o.line("buttonLabel", MaxButton, optional), Image: o.image(),
	}
	s.Price, s.Currency = o.price()
	return s
}

func readCoupon(o object) Settings {
	s := Coupon{
		Title: o.line("title", MaxBlockTitle, required), Code: o.line("code", MaxCode, required), Description: o.text("description", MaxDescription, optional),
		URL: o.address(optional), Button: o.line("buttonLabel", MaxButton, optional), ExpiresAt: o.instant("expiresAt", optional),
	}
	o.needs("buttonLabel", s.Button, "url", s.URL)
	return s
}

func readCountdown(o object) Settings {
	s := Countdown{
		Title: o.line("title", MaxBlockTitle, required), EndsAt: o.instant("endsAt", required), EndedText: o.line("endedText", MaxNotice, optional),
		URL: o.address(optional), Button: o.line("buttonLabel", MaxButton, optional),
	}
	o.needs("buttonLabel", s.Button, "url", s.URL)
	return s
}

func readNoticeBar(o object) Settings {
	s := NoticeBar{
		Text: o.line("text", MaxNotice, required), Tone: choice(o, "tone", []Tone{ToneInfo, ToneSuccess, ToneWarning}),
		URL: o.address(optional), Button: o.line("buttonLabel", MaxButton, optional),
	}
	o.needs("buttonLabel", s.Button, "url", s.URL)
	return s
}

func readFAQ(o object) Settings {
	s := FAQ{Title: o.line("title", MaxBlockTitle, optional), Items: []FAQItem{}}
	o.objects("items", MaxItems, func(item object) {
		s.Items = append(s.Items, FAQItem{
			Question: item.line("question", MaxQuestion, required), Answer: item.text("answer", MaxAnswer, required),
		})
	})
	return s
}

func readTestimonial(o object) Settings {
	return Testimonial{
		Quote: o.text("quote", MaxQuote, required), Author: o.line("author", MaxBlockTitle, required), Role: o.line("role", MaxBlockTitle, optional),
		Rating: o.number("rating", 1, MaxRating), Image: o.image(),
	}
}

func (o object) image() ident.Media { return reference[ident.Media](o, "imageMediaId", optional) }

func choice[S ~string](o object, name string, known []S) S {
	before := len(*o.faults)
	given, _ := read[string](o, name, "text")
	if len(*o.faults) > before {
		return ""
	}
	return oneOf(o.faults, o.pointer(name), S(given), known)
}

// needs refuses a field that has no effect without another one.
func (o object) needs(name, value, other, otherValue string) {
	if value != "" && otherValue == "" && !o.faulty(other) {
		o.faults.add(o.pointer(name), "stands without %s", other)
	}
}

// faulty reports whether a fault of the field itself was found.
func (o object) faulty(name string) bool {
	return slices.ContainsFunc(*o.faults, func(f apperr.Field) bool { return f.Pointer == o.pointer(name) })
}

var (
	amountPattern   = regexp.MustCompile(`^[0-9]{1,9}(\.[0-9]{1,2})?$`)
	currencyPattern = regexp.MustCompile(`^[A-Z]{3}$`)
)

// price parses an amount with its currency. The amount is text because a binary fraction would not be exact.
func (o object) price() (amount, currency string) {
	amount, currency = o.line("price", MaxCode, optional), o.line("currency", MaxCode, optional)
	if o.faulty("price") || o.faulty("currency") {
		return "", ""
	}
	if amount != "" && !amountPattern.MatchString(amount) {
		o.faults.add(o.pointer("price"), "is not an amount, such as 19 or 19.90: up to 9 digits before the point and 2 behind it")
	}
	switch {
	case amount == "" && currency != "":
		o.faults.add(o.pointer("currency"), "stands without price")
	case amount != "" && currency == "":
		o.faults.add(o.pointer("currency"), "is required beside a price")
	case currency != "" && !currencyPattern.MatchString(currency):
		o.faults.add(o.pointer("currency"), "is not a currency code, such as EUR (ISO 4217)")
	}
	whole, fraction, _ := strings.Cut(amount, ".")
	if whole = strings.TrimLeft(whole, "0"); whole == "" && amount != "" {
		whole = "0"
	}
	if fraction != "" {
		whole += "." + (fraction + "0")[:2]
	}
	return whole, currency
}

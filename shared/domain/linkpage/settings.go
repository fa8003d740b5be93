package linkpage

import (
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"socialpub.internal/shared/kernel/ident"
)

// BlockType is the kind of a block.
type BlockType string

// The types of the specification, Link pages.
const (
	TypeLink        BlockType = "LINK"
	TypeText        BlockType = "TEXT"
	TypeSection     BlockType = "SECTION"
	TypePostCard    BlockType = "POST_CARD"
	TypeProduct     BlockType = "PRODUCT"
	TypeCoupon      BlockType = "COUPON"
	TypeCountdown   BlockType = "COUNTDOWN"
	TypeNoticeBar   BlockType = "NOTICE_BAR"
	TypeFAQ         BlockType = "FAQ"
	TypeTestimonial BlockType = "TESTIMONIAL"
)

// BlockTypes lists every type in the specification's order.
func BlockTypes() []BlockType {
	return []BlockType{
		TypeLink, TypeText, TypeSection, TypePostCard, TypeProduct, TypeCoupon, TypeCountdown, TypeNoticeBar, TypeFAQ, TypeTestimonial,
	}
}

// Known reports whether the type is one of the specification's.
func (t BlockType) Known() bool { return slices.Contains(BlockTypes(), t) }

// Settings are what a block says; one struct for each type. Their JSON is that of the API, and that which is stored.
type Settings interface {
	// Type is that of the block.
	Type() BlockType
	// Target is the address that a click on the block leads to; empty when there is none, or when it is not the block's own,
	// as with a post.
	Target() string
	// Label is what people know the block by.
	Label() string

	asset() ident.Media // zero when it shows none
}

// Link is a button.
type Link struct {
	Title       string      `json:"title"`
	URL         string      `json:"url"`
	Description string      `json:"description"`
	Image       ident.Media `json:"imageMediaId,omitzero"`
	Featured    bool        `json:"featured"` // filled with the accent
}

// Text is some lines of text.
type Text struct {
	Text  string    `json:"text"`
	Align Alignment `json:"align"`
}

// Alignment says where lines stand.
type Alignment string

// The alignments.
const (
	AlignStart  Alignment = "START"
	AlignCenter Alignment = "CENTER"
)

// Section is a heading over the blocks that follow.
type Section struct {
	Title       string `json:"title"`
	Description string `json:"description"`
}

// PostCard shows a post of the workspace once that is published.
type PostCard struct {
	PostID  ident.Post `json:"postId"`
	Caption string     `json:"caption"`
}

// Product is something that can be bought elsewhere.
type Product struct {
	Name        string      `json:"name"`
	Description string      `json:"description"`
	Price       string      `json:"price"`    // an exact amount, such as 19.90; empty: none is shown
	Currency    string      `json:"currency"` // ISO 4217; with Price, or not at all
	URL         string      `json:"url"`
	Button      string      `json:"buttonLabel"`
	Image       ident.Media `json:"imageMediaId,omitzero"`
}

// Coupon is a code that visitors copy.
type Coupon struct {
	Title       string    `json:"title"`
	Code        string    `json:"code"`
	Description string    `json:"description"`
	URL         string    `json:"url"` // where the code is good; may be empty
	Button      string    `json:"buttonLabel"`
	ExpiresAt   time.Time `json:"expiresAt,omitzero"` // zero: never
}

// Countdown counts the time to a moment.
type Countdown struct {
	Title     string    `json:"title"`
	EndsAt    time.Time `json:"endsAt"`
	EndedText string    `json:"endedText"` // shown afterwards
	URL       string    `json:"url"`       // may be empty
	Button    string    `json:"buttonLabel"`
}

// NoticeBar is a strip that tells something of the moment.
type NoticeBar struct {
	Text   string `json:"text"`
	Tone   Tone   `json:"tone"`
	URL    string `json:"url"` // may be empty
	Button string `json:"buttonLabel"`
}

// Tone says how a notice is meant.
type Tone string

// The tones.
const (
	ToneInfo    Tone = "INFO"
	ToneSuccess Tone = "SUCCESS"
	ToneWarning Tone = "WARNING"
)

// FAQ is questions with their answers.
type FAQ struct {
	Title string    `json:"title"`
	Items []FAQItem `json:"items"`
}

// FAQItem is one question.
type FAQItem struct {
	Question string `json:"question"`
	Answer   string `json:"answer"`
}

// Testimonial is what somebody said.
type Testimonial struct {
	Quote  string      `json:"quote"`
	Author string      `json:"author"`
	Role   string      `json:"role"`
	Rating int         `json:"rating"` // 1 to 5 stars; 0: none are shown
	Image  ident.Media `json:"imageMediaId,omitzero"`
}

// Type is LINK.
func (Link) Type() BlockType { return TypeLink }

// Type is TEXT.
func (Text) Type() BlockType { return TypeText }

// Type is SECTION.
func (Section) Type() BlockType { return TypeSection }

// Type is POST_CARD.
func (PostCard) Type() BlockType { return TypePostCard }

// Type is PRODUCT.
func (Product) Type() BlockType { return TypeProduct }

// Type is COUPON.
func (Coupon) Type() BlockType { return TypeCoupon }

// Type is COUNTDOWN.
func (Countdown) Type() BlockType { return TypeCountdown }

// Type is NOTICE_BAR.
func (NoticeBar) Type() BlockType { return TypeNoticeBar }

// Type is FAQ.
func (FAQ) Type() BlockType { return TypeFAQ }

// Type is TESTIMONIAL.
func (Testimonial) Type() BlockType { return TypeTestimonial }

// Target is where the button leads.
func (s Link) Target() string { return s.URL }

// Target is empty: text leads nowhere.
func (Text) Target() string { return "" }

// Target is empty: a heading leads nowhere.
func (Section) Target() string { return "" }

// Target is empty here: it is the post's address on its network.
func (PostCard) Target() string { return "" }

// Target is where it can be bought.
func (s Product) Target() string { return s.URL }

// Target is where the code is good.
func (s Coupon) Target() string { return s.URL }

// Target is where the button leads.
func (s Countdown) Target() string { return s.URL }

// Target is where the button leads.
func (s NoticeBar) Target() string { return s.URL }

// Target is empty: answers lead nowhere.
func (FAQ) Target() string { return "" }

// Target is empty: a quote leads nowhere.
func (Testimonial) Target() string { return "" }

// Label is the title.
func (s Link) Label() string { return s.Title }

// Label is the beginning of the text.
func (s Text) Label() string { return shorten(s.Text) }

// Label is the title.
func (s Section) Label() string { return s.Title }

// Label is the caption.
func (s PostCard) Label() string { return s.Caption }

// Label is the name.
func (s Product) Label() string { return s.Name }

// Label is the title.
func (s Coupon) Label() string { return s.Title }

// Label is the title.
func (s Countdown) Label() string { return s.Title }

// Label is the beginning of the text.
func (s NoticeBar) Label() string { return shorten(s.Text) }

// Label is the title.
func (s FAQ) Label() string { return s.Title }

// Label is who said it.
func (s Testimonial) Label() string { return s.Author }

const shortText = 60

func shorten(text string) string {
	runes := []rune(text)
	if len(runes) <= shortText {
		return text
	}
	return string(runes[:shortText-1]) + "…"
}

func (s Link) asset() ident.Media        { return s.Image }
func (Text) asset() ident.Media          { return ident.Media{} }
func (Section) asset() ident.Media       { return ident.Media{} }
func (PostCard) asset() ident.Media      { return ident.Media{} }
func (s Product) asset() ident.Media     { return s.Image }
func (Coupon) asset() ident.Media        { return ident.Media{} }
func (Countdown) asset() ident.Media     { return ident.Media{} }
func (NoticeBar) asset() ident.Media     { return ident.Media{} }
func (FAQ) asset() ident.Media           { return ident.Media{} }
func (s Testimonial) asset() ident.Media { return s.Image }

// storedBlock is the JSON of a block.
type storedBlock struct {
	ID        ident.LinkBlock `json:"id"`
	Type      BlockType       `json:"type"`
	Visible   bool            `json:"visible"`
	ShowFrom  time.Time       `json:"showFrom,omitzero"`
	ShowUntil time.Time       `json:"showUntil,omitzero"`
	Settings  json.RawMessage `json:"settings"`
}

// MarshalJSON writes the form that is stored.
func (b Block) MarshalJSON() ([]byte, error) {
	settings, err := json.Marshal(b.Settings)
	if err != nil {
		return nil, err
	}
	return json.Marshal(storedBlock{
		ID: b.ID, Type: b.Type(), Visible: b.Visible, ShowFrom: b.ShowFrom, ShowUntil: b.ShowUntil, Settings: settings,
	})
}

// UnmarshalJSON reads the form that is stored. The rules of today are not applied to it: what was accepted once stays.
func (b *Block) UnmarshalJSON(raw []byte) error {
	var stored storedBlock
	if err := json.Unmarshal(raw, &stored); err != nil {
		return err
	}
	settings, err := decodeSettings(stored.Type, stored.Settings)
	if err != nil {
		return err
	}
	*b = Block{ID: stored.ID, Settings: settings, Visible: stored.Visible, ShowFrom: stored.ShowFrom, ShowUntil: stored.ShowUntil}
	return nil
}

func decodeSettings(t BlockType, raw []byte) (Settings, error) {
	switch t {
	case TypeLink:
		return decoded[Link](raw)
	case TypeText:
		return decoded[Text](raw)
	case TypeSection:
		return decoded[Section](raw)
	case TypePostCard:
		return decoded[PostCard](raw)
	case TypeProduct:
		return decoded[Product](raw)
	case TypeCoupon:
		return decoded[Coupon](raw)
	case TypeCountdown:
		return decoded[Countdown](raw)
	case TypeNoticeBar:
		return decoded[NoticeBar](raw)
	case TypeFAQ:
		return decoded[FAQ](raw)
	case TypeTestimonial:
		return decoded[Testimonial](raw)
	default:
		return nil, fmt.Errorf("linkpage: no such block type %.40q", t)
	}
}

func decoded[S Settings](raw []byte) (Settings, error) {
	var s S
	err := json.Unmarshal(raw, &s)
	return s, err
}

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

// Types of the specification, Link pages.
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

// Known reports whether the specification defines the type.
func (t BlockType) Known() bool { return slices.Contains(BlockTypes(), t) }

// Settings holds the content of a block, with one struct per type. The same JSON is used by the API and in storage.
type Settings interface {
	// Type returns the block's type.
	Type() BlockType
	// Target returns the URL opened by a click on the block. It is empty if there is none, or if the URL belongs to
	// another resource such as a post.
	Target() string
	// Label returns a text by which people recognize the block.
	Label() string

	asset() ident.Media // zero if it shows none
}

// Link is a button.
type Link struct {
	Title       string      `json:"title"`
	URL         string      `json:"url"`
	Description string      `json:"description"`
	Image       ident.Media `json:"imageMediaId,omitzero"`
	Featured    bool        `json:"featured"` // filled with the accent color
}

// Text is a text of one or more lines.
type Text struct {
	Text  string    `json:"text"`
	Align Alignment `json:"align"`
}

// Alignment is the alignment of lines.
type Alignment string

// Alignments of a text.
const (
	AlignStart  Alignment = "START"
	AlignCenter Alignment = "CENTER"
)

// Section is a heading for the following blocks.
type Section struct {
	Title       string `json:"title"`
	Description string `json:"description"`
}

// PostCard shows a post of the workspace once it is published.
type PostCard struct {
	PostID  ident.Post `json:"postId"`
	Caption string     `json:"caption"`
}

// Product is an item sold elsewhere.
type Product struct {
	Name        string      `json:"name"`
	Description string      `json:"description"`
	Price       string      `json:"price"`    // an exact amount, such as 19.90; empty: not shown
	Currency    string      `json:"currency"` // ISO 4217; set together with Price
	URL         string      `json:"url"`
	Button      string      `json:"buttonLabel"`
	Image       ident.Media `json:"imageMediaId,omitzero"`
}

// Coupon is a code that visitors copy.
type Coupon struct {
	Title       string    `json:"title"`
	Code        string    `json:"code"`
	Description string    `json:"description"`
	URL         string    `json:"url"` // where the code can be used; may be empty
	Button      string    `json:"buttonLabel"`
	ExpiresAt   time.Time `json:"expiresAt,omitzero"` // zero: never
}

// Countdown shows the time left until an instant.
type Countdown struct {
	Title     string    `json:"title"`
	EndsAt    time.Time `json:"endsAt"`
	EndedText string    `json:"endedText"` // shown afterwards
	URL       string    `json:"url"`       // may be empty
	Button    string    `json:"buttonLabel"`
}

// NoticeBar is a bar with a current notice.
type NoticeBar struct {
	Text   string `json:"text"`
	Tone   Tone   `json:"tone"`
	URL    string `json:"url"` // may be empty
	Button string `json:"buttonLabel"`
}

// Tone is the kind of a notice.
type Tone string

// Tones of a notice.
const (
	ToneInfo    Tone = "INFO"
	ToneSuccess Tone = "SUCCESS"
	ToneWarning Tone = "WARNING"
)

// FAQ is a list of questions and answers.
type FAQ struct {
	Title string    `json:"title"`
	Items []FAQItem `json:"items"`
}

// FAQItem is one question with its answer.
type FAQItem struct {
	Question string `json:"question"`
	Answer   string `json:"answer"`
}

// Testimonial is a quote about the page's owner.
type Testimonial struct {
	Quote  string      `json:"quote"`
	Author string      `json:"author"`
	Role   string      `json:"role"`
	Rating int         `json:"rating"` // 1 to 5 stars; 0: not shown
	Image  ident.Media `json:"imageMediaId,omitzero"`
}

// Type returns LINK.
func (Link) Type() BlockType { return TypeLink }

// Type returns TEXT.
func (Text) Type() BlockType { return TypeText }

// Type returns SECTION.
func (Section) Type() BlockType { return TypeSection }

// Type returns POST_CARD.
func (PostCard) Type() BlockType { return TypePostCard }

// Type returns PRODUCT.
func (Product) Type() BlockType { return TypeProduct }

// Type returns COUPON.
func (Coupon) Type() BlockType { return TypeCoupon }

// Type returns COUNTDOWN.
func (Countdown) Type() BlockType { return TypeCountdown }

// Type returns NOTICE_BAR.
func (NoticeBar) Type() BlockType { return TypeNoticeBar }

// Type returns FAQ.
func (FAQ) Type() BlockType { return TypeFAQ }

// Type returns TESTIMONIAL.
func (Testimonial) Type() BlockType { return TypeTestimonial }

// Target returns the URL of the button.
func (s Link) Target() string { return s.URL }

// Target returns "": a text has no link.
func (Text) Target() string { return "" }

// Target returns "": a heading has no link.
func (Section) Target() string { return "" }

// Target returns "": the link is the post's URL on its network.
func (PostCard) Target() string { return "" }

// Target returns the URL of the shop.
func (s Product) Target() string { return s.URL }

// Target returns the URL where the code can be used.
func (s Coupon) Target() string { return s.URL }

// Target returns the URL of the button.
func (s Countdown) Target() string { return s.URL }

// Target returns the URL of the button.
func (s NoticeBar) Target() string { return s.URL }

// Target returns "": an FAQ has no link.
func (FAQ) Target() string { return "" }

// Target returns "": a quote has no link.
func (Testimonial) Target() string { return "" }

// Label returns the title.
func (s Link) Label() string { return s.Title }

// Label returns the start of the text.
func (s Text) Label() string { return shorten(s.Text) }

// Label returns the title.
func (s Section) Label() string { return s.Title }

// Label returns the caption.
func (s PostCard) Label() string { return s.Caption }

// Label returns the name.
func (s Product) Label() string { return s.Name }

// Label returns the title.
func (s Coupon) Label() string { return s.Title }

// Label returns the title.
func (s Countdown) Label() string { return s.Title }

// Label returns the start of the text.
func (s NoticeBar) Label() string { return shorten(s.Text) }

// Label returns the title.
func (s FAQ) Label() string { return s.Title }

// Label returns the author.
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

// storedBlock is the JSON form of a block.
type storedBlock struct {
	ID        ident.LinkBlock `json:"id"`
	Type      BlockType       `json:"type"`
	Visible   bool            `json:"visible"`
	ShowFrom  time.Time       `json:"showFrom,omitzero"`
	ShowUntil time.Time       `json:"showUntil,omitzero"`
	Settings  json.RawMessage `json:"settings"`
}

// MarshalJSON returns the stored form.
func (b Block) MarshalJSON() ([]byte, error) {
	settings, err := json.Marshal(b.Settings)
	if err != nil {
		return nil, err
	}
	return json.Marshal(storedBlock{
		ID: b.ID, Type: b.Type(), Visible: b.Visible, ShowFrom: b.ShowFrom, ShowUntil: b.ShowUntil, Settings: settings,
	})
}

// UnmarshalJSON parses the stored form. It does not apply the current validation rules, because accepted content
// remains valid.
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

package apiforms

import (
	"time"

	"socialpub.internal/shared/domain/linkpage"
	"socialpub.internal/shared/kernel/ident"
)

// LinkPageBlock is the block in responses. The OpenAPI document has one variant per block type, with the property type
// as discriminator.
type LinkPageBlock struct {
	ID        ident.LinkBlock   `json:"id" format:"uuid" example:"0190a3d2-e8df-7c46-97d0-36c40f68e72c" doc:"Id of the block. It stays the same when the page is published."`
	Type      LinkBlockType     `json:"type" doc:"Kind of the block; it never changes."`
	Settings  any               `json:"settings" doc:"What the block says."`
	IsVisible bool              `json:"isVisible" example:"true" doc:"Whether the block is shown at all."`
	ShowFrom  OptionalTimestamp `json:"showFrom" doc:"It is shown from then on; null: without bound."`
	ShowUntil OptionalTimestamp `json:"showUntil" doc:"It is shown until then; null: without bound."`
}

// The settings of the block types. The OpenAPI document has three schemas for each type: for responses, for new blocks,
// and for changes. A test compares their limits with those of package linkpage.
type (
	// LinkBlockSettings are the settings of LINK.
	LinkBlockSettings struct {
		Title        string       `json:"title" minLength:"1" maxLength:"100" example:"Shop" doc:"Text of the button, on one line."`
		URL          string       `json:"url" format:"uri" minLength:"1" maxLength:"2048" example:"https://shop.example.com/spring" doc:"Where it leads: an address with https, mailto or tel."`
		Description  OptionalText `json:"description" maxLength:"300" example:"New bowls every Friday" doc:"A line below the title."`
		ImageMediaID OptionalText `json:"imageMediaId" format:"uuid" example:"0190a3c9-5f46-7bad-ae88-9d5b6a7f8e93" doc:"Picture of the button: an IMAGE or a GIF of the workspace."`
		Featured     bool         `json:"featured" default:"false" example:"true" doc:"Whether the button is filled with the accent."`
	}
	// TextBlockSettings are the settings of TEXT.
	TextBlockSettings struct {
		Text  string `json:"text" minLength:"1" maxLength:"5000" example:"I make tableware in small batches." doc:"The text; line breaks are kept."`
		Align string `json:"align" enum:"START,CENTER" default:"START" example:"CENTER" doc:"Where its lines stand."`
	}
	// SectionBlockSettings are the settings of SECTION.
	SectionBlockSettings struct {
		Title       string       `json:"title" minLength:"1" maxLength:"100" example:"Workshops" doc:"Heading over the blocks that follow."`
		Description OptionalText `json:"description" maxLength:"300" example:"Six places each" doc:"Text below the heading."`
	}
	// PostCardBlockSettings are the settings of POST_CARD.
	PostCardBlockSettings struct {
		PostID  ident.Post   `json:"postId" format:"uuid" example:"0190a3c6-2c13-7e7a-9b55-6a2e3d4c5b60" doc:"Post of the workspace. It is shown once it is published."`
		Caption OptionalText `json:"caption" maxLength:"300" example:"From the kiln" doc:"A line below the post."`
	}
	// ProductBlockSettings are the settings of PRODUCT.
	ProductBlockSettings struct {
		Name         string       `json:"name" minLength:"1" maxLength:"100" example:"Breakfast bowl" doc:"Name of the product."`
		URL          string       `json:"url" format:"uri" minLength:"1" maxLength:"2048" example:"https://shop.example.com/bowl" doc:"Where it can be bought: an address with https, mailto or tel."`
		Description  OptionalText `json:"description" maxLength:"300" example:"Stoneware, 14 cm" doc:"Text about it."`
		Price        OptionalText `json:"price" pattern:"^[0-9]{1,9}(\\.[0-9]{1,2})?$" maxLength:"40" example:"38.00" doc:"Exact amount, as text; together with currency."`
		Currency     OptionalText `json:"currency" pattern:"^[A-Z]{3}$" maxLength:"40" example:"EUR" doc:"Currency of the price (ISO 4217)."`
		ButtonLabel  OptionalText `json:"buttonLabel" maxLength:"40" example:"Buy" doc:"Text of the button; null: one of the service."`
		ImageMediaID OptionalText `json:"imageMediaId" format:"uuid" example:"0190a3c9-5f46-7bad-ae88-9d5b6a7f8e93" doc:"Picture of the product: an IMAGE or a GIF of the workspace."`
	}
	// CouponBlockSettings are the settings of COUPON.
	CouponBlockSettings struct {
		Title       string            `json:"title" minLength:"1" maxLength:"100" example:"10 % for you" doc:"What the coupon gives."`
		Code        string            `json:"code" minLength:"1" maxLength:"40" example:"SPRING10" doc:"Code that visitors copy."`
		Description OptionalText      `json:"description" maxLength:"300" example:"On everything blue" doc:"Text about it."`
		URL         OptionalText      `json:"url" format:"uri" maxLength:"2048" example:"https://shop.example.com/" doc:"Where the code is good: an address with https, mailto or tel."`
		ButtonLabel OptionalText      `json:"buttonLabel" maxLength:"40" example:"To the shop" doc:"Text of the button, which there is only with a url."`
		ExpiresAt   OptionalTimestamp `json:"expiresAt" doc:"Until when the code is good; null: without end."`
	}
	// CountdownBlockSettings are the settings of COUNTDOWN.
	CountdownBlockSettings struct {
		Title       string       `json:"title" minLength:"1" maxLength:"100" example:"Kiln opening" doc:"What it counts to."`
		EndsAt      Timestamp    `json:"endsAt" doc:"When it ends."`
		EndedText   OptionalText `json:"endedText" maxLength:"200" example:"The kiln is open!" doc:"Shown afterwards."`
		URL         OptionalText `json:"url" format:"uri" maxLength:"2048" example:"https://shop.example.com/kiln" doc:"Where the button leads: an address with https, mailto or tel."`
		ButtonLabel OptionalText `json:"buttonLabel" maxLength:"40" example:"Remind me" doc:"Text of the button, which there is only with a url."`
	}
	// NoticeBarBlockSettings are the settings of NOTICE_BAR.
	NoticeBarBlockSettings struct {
		Text        string       `json:"text" minLength:"1" maxLength:"200" example:"Closed until Monday" doc:"The notice, on one line."`
		Tone        string       `json:"tone" enum:"INFO,SUCCESS,WARNING" default:"INFO" example:"WARNING" doc:"How it is meant."`
		URL         OptionalText `json:"url" format:"uri" maxLength:"2048" example:"https://example.com/hours" doc:"Where the button leads: an address with https, mailto or tel."`
		ButtonLabel OptionalText `json:"buttonLabel" maxLength:"40" example:"Hours" doc:"Text of the button, which there is only with a url."`
	}
	// FaqBlockSettings are the settings of FAQ.
	FaqBlockSettings struct {
		Title OptionalText `json:"title" maxLength:"100" example:"Questions" doc:"Heading over the questions."`
		Items []FaqItem    `json:"items" minItems:"1" maxItems:"30" doc:"Questions with their answers, in the order in which they are shown."`
	}
	// FaqItem is a question with its answer.
	FaqItem struct {
		Question string `json:"question" minLength:"1" maxLength:"200" example:"Are they dishwasher safe?" doc:"The question, on one line."`
		Answer   string `json:"answer" minLength:"1" maxLength:"2000" example:"Yes, all of them." doc:"The answer; line breaks are kept."`
	}
	// TestimonialBlockSettings are the settings of TESTIMONIAL.
	TestimonialBlockSettings struct {
		Quote        string       `json:"quote" minLength:"1" maxLength:"1000" example:"The bowls are a joy every morning." doc:"What somebody said."`
		Author       string       `json:"author" minLength:"1" maxLength:"100" example:"Jonas Lindqvist" doc:"Who said it."`
		Role         OptionalText `json:"role" maxLength:"100" example:"Café Nord" doc:"Who that is."`
		Rating       *int         `json:"rating" nullable:"true" minimum:"1" maximum:"5" example:"5" doc:"Stars; null: none are shown."`
		ImageMediaID OptionalText `json:"imageMediaId" format:"uuid" example:"0190a3c9-5f46-7bad-ae88-9d5b6a7f8e93" doc:"Picture of the author: an IMAGE or a GIF of the workspace."`
	}
)

// ToAPIBlock converts a block.
func ToAPIBlock(b linkpage.Block) LinkPageBlock {
	return LinkPageBlock{
		ID: b.ID, Type: LinkBlockType(b.Type()), Settings: toAPISettings(b.Settings), IsVisible: b.Visible,
		ShowFrom: OptionalTimestamp(b.ShowFrom), ShowUntil: OptionalTimestamp(b.ShowUntil),
	}
}

func toAPIBlocks(blocks []linkpage.Block) []LinkPageBlock {
	out := make([]LinkPageBlock, len(blocks))
	for i, b := range blocks {
		out[i] = ToAPIBlock(b)
	}
	return out
}

func toAPISettings(settings linkpage.Settings) any {
	switch s := settings.(type) {
	case linkpage.Link:
		return LinkBlockSettings{
			Title: s.Title, URL: s.URL, Description: OptionalText(s.Description), ImageMediaID: optionalID(s.Image), Featured: s.Featured,
		}
	case linkpage.Text:
		return TextBlockSettings{Text: s.Text, Align: string(s.Align)}
	case linkpage.Section:
		return SectionBlockSettings{Title: s.Title, Description: OptionalText(s.Description)}
	case linkpage.PostCard:
		return PostCardBlockSettings{PostID: s.PostID, Caption: OptionalText(s.Caption)}
	case linkpage.Product:
		return ProductBlockSettings{
			Name: s.Name, URL: s.URL, Description: OptionalText(s.Description), Price: OptionalText(s.Price),
			Currency: OptionalText(s.Currency), ButtonLabel: OptionalText(s.Button), ImageMediaID: optionalID(s.Image),
		}
	case linkpage.Coupon:
		return CouponBlockSettings{
			Title: s.Title, Code: s.Code, Description: OptionalText(s.Description), URL: OptionalText(s.URL),
			ButtonLabel: OptionalText(s.Button), ExpiresAt: OptionalTimestamp(s.ExpiresAt),
		}
	case linkpage.Countdown:
		return CountdownBlockSettings{
			Title: s.Title, EndsAt: Timestamp(s.EndsAt), EndedText: OptionalText(s.EndedText), URL: OptionalText(s.URL), ButtonLabel: OptionalText(s.Button),
		}
	case linkpage.NoticeBar:
		return NoticeBarBlockSettings{Text: s.Text, Tone: string(s.Tone), URL: OptionalText(s.URL), ButtonLabel: OptionalText(s.Button)}
	case linkpage.FAQ:
		items := make([]FaqItem, len(s.Items))
		for i, item := range s.Items {
			items[i] = FaqItem(item)
		}
		return FaqBlockSettings{Title: OptionalText(s.Title), Items: items}
	case linkpage.Testimonial:
		return TestimonialBlockSettings{
			Quote: s.Quote, Author: s.Author, Role: OptionalText(s.Role), Rating: stars(s.Rating), ImageMediaID: optionalID(s.Image),
		}
	default:
		return struct{}{}
	}
}

func stars(rating int) *int {
	if rating == 0 {
		return nil
	}
	return &rating
}

// LinkPageAnalytics holds the visits of a page.
type LinkPageAnalytics struct {
	LinkPageID     ident.LinkPage `json:"linkPageId" format:"uuid" example:"0190a3d1-d7ce-7b35-86bf-25b3fe57d61b" doc:"The page."`
	From           string         `json:"from" format:"date" example:"2026-02-01" doc:"First day, in UTC."`
	To             string         `json:"to" format:"date" example:"2026-03-01" doc:"Last day, in UTC."`
	Views          int64          `json:"views" example:"1204" doc:"How often the page was looked at. Programs that read pages by themselves are not counted."`
	UniqueVisitors int64          `json:"uniqueVisitors" example:"877" doc:"The visitors of each day, added up: nothing is kept that would tell whether somebody came on two days."`
	Clicks         int64          `json:"clicks" example:"310" doc:"How often blocks were clicked."`
	Data           []PageDay      `json:"data" doc:"Every day of the range, oldest first."`
	Blocks         []BlockClicks  `json:"blocks" doc:"The blocks that were clicked, most clicked first."`
}

// PageDay holds the visits of a page on one day.
type PageDay struct {
	Date           string `json:"date" format:"date" example:"2026-03-01" doc:"The day, in UTC."`
	Views          int64  `json:"views" example:"41" doc:"How often the page was looked at."`
	UniqueVisitors int64  `json:"uniqueVisitors" example:"33" doc:"By how many visitors."`
	Clicks         int64  `json:"clicks" example:"12" doc:"How often blocks were clicked."`
}

// BlockClicks holds the clicks on a block.
type BlockClicks struct {
	BlockID ident.LinkBlock `json:"blockId" format:"uuid" example:"0190a3d2-e8df-7c46-97d0-36c40f68e72c" doc:"The block."`
	Type    OptionalText    `json:"type" example:"LINK" doc:"Kind of the block; null once it is deleted."`
	Label   OptionalText    `json:"label" example:"Shop" doc:"What people know the block by; null once it is deleted, or when it has no name."`
	Clicks  int64           `json:"clicks" example:"120" doc:"How often it was clicked."`
	Data    []BlockDay      `json:"data" doc:"The days on which it was clicked, oldest first."`
}

// BlockDay holds the clicks on a block on one day.
type BlockDay struct {
	Date   string `json:"date" format:"date" example:"2026-03-01" doc:"The day, in UTC."`
	Clicks int64  `json:"clicks" example:"7" doc:"How often the block was clicked."`
}

// ToAPILinkPageAnalytics converts the visits of a page.
func ToAPILinkPageAnalytics(a linkpage.Analytics) LinkPageAnalytics {
	out := LinkPageAnalytics{
		LinkPageID: a.PageID, From: dateOf(a.Period.From), To: dateOf(a.Period.To), Views: a.Views, UniqueVisitors: a.Visitors,
		Clicks: a.Clicks, Data: make([]PageDay, len(a.Days)), Blocks: make([]BlockClicks, len(a.Blocks)),
	}
	for i, d := range a.Days {
		out.Data[i] = PageDay{Date: dateOf(d.Day), Views: d.Views, UniqueVisitors: d.Visitors, Clicks: d.Clicks}
	}
	for i, b := range a.Blocks {
		days := make([]BlockDay, len(b.Days))
		for j, d := range b.Days {
			days[j] = BlockDay{Date: dateOf(d.Day), Clicks: d.Clicks}
		}
		out.Blocks[i] = BlockClicks{
			BlockID: b.BlockID, Type: OptionalText(b.Type), Label: OptionalText(b.Label), Clicks: b.Clicks, Data: days,
		}
	}
	return out
}

func dateOf(day time.Time) string { return day.UTC().Format(time.DateOnly) }

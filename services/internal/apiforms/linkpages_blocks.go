package apiforms

import (
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"fencepost.internal/shared/domain/linkpage"
	"fencepost.internal/shared/kernel/ident"
)

// LinkPageBlock is the block in responses. The OpenAPI document has one variant per block type, with the property type
// as discriminator.
type LinkPageBlock struct {
	ID        ident.LinkBlock   `json:"id" format:"uuid" example:"0190a3d2-e8df-7c46-97d0-36c40f68e72c" doc:"Id of the block. It stays the same when the page is published."`
	Type      LinkBlockType     `json:"type" doc:"Type of the block. It never changes."`
	Settings  any               `json:"settings" doc:"Content of the block. Its fields depend on the type."`
	IsVisible bool              `json:"isVisible" example:"true" doc:"Whether the block is shown."`
	ShowFrom  OptionalTimestamp `json:"showFrom" doc:"Start of the display period. Null: no start."`
	ShowUntil OptionalTimestamp `json:"showUntil" doc:"End of the display period. Null: no end."`
}

// ToAPIBlock converts a block.
func ToAPIBlock(b linkpage.Block) LinkPageBlock {
	return LinkPageBlock{
		ID: b.ID, Type: LinkBlockType(b.Type()), Settings: settingsForm(b.Settings.Fields()), IsVisible: b.Visible,
		ShowFrom: OptionalTimestamp(b.ShowFrom), ShowUntil: OptionalTimestamp(b.ShowUntil),
	}
}

func toAPIBlocks(blocks []linkpage.Block) []LinkPageBlock {
	return each(blocks, ToAPIBlock)
}

// settingsForm is the form of a block's settings in responses: every field of the type, in the order of its descriptor.
type settingsForm []linkpage.Field

// MarshalJSONTo writes the fields. An optional field without a value is null.
func (s settingsForm) MarshalJSONTo(enc *jsontext.Encoder) error {
	if err := enc.WriteToken(jsontext.BeginObject); err != nil {
		return err
	}
	for _, f := range s {
		if err := enc.WriteToken(jsontext.String(f.Name)); err != nil {
			return err
		}
		if err := json.MarshalEncode(enc, toAPIValue(f)); err != nil {
			return err
		}
	}
	return enc.WriteToken(jsontext.EndObject)
}

// toAPIValue converts the value of a field.
func toAPIValue(f linkpage.Field) any {
	switch value := f.Value().(type) {
	case string:
		if nullable(f) {
			return OptionalText(value)
		}
		return value
	case int:
		if nullable(f) && value == 0 {
			return nil
		}
		return value
	case time.Time:
		return OptionalTimestamp(value)
	case ident.Media:
		return optionalID(value)
	case [][]linkpage.Field:
		items := make([]settingsForm, len(value))
		for i, item := range value {
			items[i] = item
		}
		return items
	default: // a flag or a required id
		return value
	}
}

// nullable reports whether a field without a value is null. A choice and a flag have a default value instead.
func nullable(f linkpage.Field) bool {
	return !f.Required && f.Kind != linkpage.KindChoice && f.Kind != linkpage.KindFlag
}

// LinkPageAnalytics holds the visits of a page.
type LinkPageAnalytics struct {
	LinkPageID     ident.LinkPage `json:"linkPageId" format:"uuid" example:"0190a3d1-d7ce-7b35-86bf-25b3fe57d61b" doc:"The page."`
	From           string         `json:"from" format:"date" example:"2026-02-01" doc:"First day, in UTC."`
	To             string         `json:"to" format:"date" example:"2026-03-01" doc:"Last day, in UTC."`
	Views          int64          `json:"views" example:"1204" doc:"Number of page views. Requests by crawlers are not counted."`
	UniqueVisitors int64          `json:"uniqueVisitors" example:"877" doc:"Sum of the unique visitors of each day. A visitor on two days counts twice, because visitors are not identified across days."`
	Clicks         int64          `json:"clicks" example:"310" doc:"Number of clicks on blocks."`
	Data           []PageDay      `json:"data" doc:"Days of the range, oldest first."`
	Blocks         []BlockClicks  `json:"blocks" doc:"Blocks with clicks, most clicked first."`
}

// PageDay holds the visits of a page on one day.
type PageDay struct {
	Date           string `json:"date" format:"date" example:"2026-03-01" doc:"The day, in UTC."`
	Views          int64  `json:"views" example:"41" doc:"Number of page views."`
	UniqueVisitors int64  `json:"uniqueVisitors" example:"33" doc:"Number of unique visitors."`
	Clicks         int64  `json:"clicks" example:"12" doc:"Number of clicks on blocks."`
}

// BlockClicks holds the clicks on a block.
type BlockClicks struct {
	BlockID ident.LinkBlock `json:"blockId" format:"uuid" example:"0190a3d2-e8df-7c46-97d0-36c40f68e72c" doc:"The block."`
	Type    OptionalText    `json:"type" example:"LINK" doc:"Type of the block. Null after the block is deleted."`
	Label   OptionalText    `json:"label" example:"Shop" doc:"Title or start of the text of the block. Null if it has none, or after the block is deleted."`
	Clicks  int64           `json:"clicks" example:"120" doc:"Number of clicks on the block."`
	Data    []BlockDay      `json:"data" doc:"Days with clicks, oldest first."`
}

// BlockDay holds the clicks on a block on one day.
type BlockDay struct {
	Date   string `json:"date" format:"date" example:"2026-03-01" doc:"The day, in UTC."`
	Clicks int64  `json:"clicks" example:"7" doc:"Number of clicks on the block."`
}

// ToAPILinkPageAnalytics converts the visits of a page.
func ToAPILinkPageAnalytics(a linkpage.Analytics) LinkPageAnalytics {
	out := LinkPageAnalytics{
		LinkPageID: a.PageID, From: dateOf(a.Period.From), To: dateOf(a.Period.To), Views: a.Views,
		UniqueVisitors: a.Visitors,
		Clicks:         a.Clicks, Data: make([]PageDay, len(a.Days)), Blocks: make([]BlockClicks, len(a.Blocks)),
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

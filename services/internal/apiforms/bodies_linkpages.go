package apiforms

import (
	"errors"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"fencepost.internal/services/internal/apiforms/jsonbody"
	"fencepost.internal/shared/domain/linkpage"
	"fencepost.internal/shared/kernel/apperr"
	"fencepost.internal/shared/kernel/ident"
)

// CreateLinkPage is the body of create-link-page.
type CreateLinkPage struct {
	Handle string             `json:"handle" minLength:"3" maxLength:"30" example:"mara-weber" doc:"Last part of the page's URL: letters a to z and digits, with single - or _ between them. Unique in the whole service and case-insensitive."`
	Title  string             `json:"title" minLength:"1" maxLength:"100" example:"Mara Weber" doc:"Title, on one line."`
	Bio    string             `json:"bio,omitempty" nullable:"true" maxLength:"500" example:"Ceramics from Leipzig" doc:"Text below the title. Line breaks are kept."`
	SEO    LinkPageSEOInput   `json:"seo,omitzero" doc:"Data for search engines and link previews."`
	Theme  LinkPageThemeInput `json:"theme,omitzero" doc:"Design of the page."`
}

// Check implements Body.
func (b CreateLinkPage) Check() []apperr.Field {
	if b.Handle == "" && b.Title == "" {
		return nil // the schema has reported it
	}
	_, err := linkpage.Create(b.Command(), time.Time{})
	return fieldsOf(err)
}

// CheckReferences implements Referrer.
func (b CreateLinkPage) CheckReferences() error {
	return pictures(b.SEO.ImageMediaID, b.Theme.AvatarMediaID)
}

// Command returns the input of the use case.
func (b CreateLinkPage) Command() linkpage.New {
	edit := linkpage.New{Handle: b.Handle, Title: b.Title, Bio: b.Bio}
	edit.SEO = linkpage.SEO{
		Title: b.SEO.Title.Value, Description: b.SEO.Description.Value, Image: b.SEO.ImageMediaID.Value,
		NoIndex: b.SEO.NoIndex.Value,
	}
	edit.Theme = linkpage.Theme{
		Name: linkpage.ThemeName(b.Theme.Name.Value), Accent: linkpage.Color(b.Theme.AccentColor.Value),
		Appearance: linkpage.Appearance(b.Theme.Appearance.Value), Avatar: b.Theme.AvatarMediaID.Value,
	}
	return edit
}

// LinkPageSEOInput sets the metadata for search engines and previews. Omitted fields stay unchanged.
type LinkPageSEOInput struct {
	Title        Optional[string]      `json:"title,omitzero" nullable:"true" maxLength:"100" example:"Mara Weber, ceramics" doc:"Title. Null: the page's title."`
	Description  Optional[string]      `json:"description,omitzero" nullable:"true" maxLength:"300" example:"Bowls and cups, thrown by hand." doc:"Description. Null: the page's bio."`
	ImageMediaID Optional[ident.Media] `json:"imageMediaId,omitzero" nullable:"true" format:"uuid" example:"0190a3c9-5f46-7bad-ae88-9d5b6a7f8e93" doc:"Image of previews: an IMAGE or a GIF of the workspace. Null: the page's avatar."`
	NoIndex      Optional[bool]        `json:"noIndex,omitzero" example:"false" doc:"Whether the page asks search engines not to index it. Default: false."`
}

// LinkPageThemeInput sets the appearance of a page. Omitted fields stay unchanged.
type LinkPageThemeInput struct {
	Name          Optional[ThemeName]   `json:"name,omitzero" doc:"Name of the theme. Default: PAPER."`
	AccentColor   Optional[string]      `json:"accentColor,omitzero" nullable:"true" maxLength:"7" example:"#0b7189" doc:"Color of buttons and highlights as #rrggbb, with a contrast of at least 3 to the background. Null: the theme's own accent."`
	Appearance    Optional[Appearance]  `json:"appearance,omitzero" doc:"Color scheme of the page. Default: AUTO."`
	AvatarMediaID Optional[ident.Media] `json:"avatarMediaId,omitzero" nullable:"true" format:"uuid" example:"0190a3c9-5f46-7bad-ae88-9d5b6a7f8e93" doc:"Image at the top: an IMAGE or a GIF of the workspace. Null: the first letter of the title."`
}

// UpdateLinkPage is the body of update-link-page. Omitted fields stay unchanged, also those of seo and theme.
type UpdateLinkPage struct {
	Handle Optional[string]   `json:"handle,omitzero" minLength:"3" maxLength:"30" example:"mara-weber" doc:"Last part of the page's URL, with the rules of create-link-page. The published page keeps its URL until the next publication."`
	Title  Optional[string]   `json:"title,omitzero" minLength:"1" maxLength:"100" example:"Mara Weber" doc:"Title, on one line."`
	Bio    Optional[string]   `json:"bio,omitzero" nullable:"true" maxLength:"500" example:"Ceramics from Leipzig" doc:"Text below the title. Null: no text."`
	SEO    LinkPageSEOInput   `json:"seo,omitzero" doc:"Data for search engines and link previews."`
	Theme  LinkPageThemeInput `json:"theme,omitzero" doc:"Design of the page. A theme's own accent color changes with the theme."`
}

// Check implements Body.
func (b UpdateLinkPage) Check() []apperr.Field {
	if !b.Handle.Set && !b.Title.Set && !b.Bio.Set && b.SEO == (LinkPageSEOInput{}) && b.Theme == (LinkPageThemeInput{}) {
		return []apperr.Field{
			{Pointer: "", Message: "nothing to change; send at least one of handle, title, bio, seo, theme"},
		}
	}
	return nil
}

// CheckReferences implements Referrer.
func (b UpdateLinkPage) CheckReferences() error {
	return pictures(b.SEO.ImageMediaID, b.Theme.AvatarMediaID)
}

// Edit returns the changes for the use case.
func (b UpdateLinkPage) Edit() linkpage.Edit {
	edit := linkpage.Edit{Handle: b.Handle.pointer(), Title: b.Title.pointer(), Bio: b.Bio.pointer()}
	if seo := b.SEO; seo != (LinkPageSEOInput{}) {
		edit.SEO = &linkpage.SEOEdit{
			Title: seo.Title.pointer(), Description: seo.Description.pointer(), Image: seo.ImageMediaID.pointer(),
			NoIndex: seo.NoIndex.pointer(),
		}
	}
	if theme := b.Theme; theme != (LinkPageThemeInput{}) {
		edit.Theme = &linkpage.ThemeEdit{
			Name: (*linkpage.ThemeName)(theme.Name.pointer()), Accent: (*linkpage.Color)(theme.AccentColor.pointer()),
			Appearance: (*linkpage.Appearance)(theme.Appearance.pointer()), Avatar: theme.AvatarMediaID.pointer(),
		}
	}
	return edit
}

// blockSettings holds the raw settings of a block. The rules of its type parse them.
type blockSettings struct{ raw jsontext.Value } //nolint:recvcheck // Schema needs a value, decoding a pointer

// UnmarshalJSONFrom stores the settings unparsed.
func (s *blockSettings) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	raw, err := dec.ReadValue()
	s.raw = raw.Clone()
	return err
}

// checkReferences returns NOT_FOUND for the nil UUID as the image of a block. Other faults are reported later.
func (s blockSettings) checkReferences() error {
	var of struct {
		Image Optional[ident.Media] `json:"imageMediaId"`
	}
	if err := json.Unmarshal(s.raw, &of); err != nil {
		return nil //nolint:nilerr // the rules of the block type report it
	}
	return pictures(of.Image)
}

// Schema returns a placeholder. The OpenAPI document replaces it with the schemas of the block types.
func (blockSettings) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{Type: huma.TypeObject, Extensions: map[string]any{jsonbody.ExtensionApart: true}}
}

// AddLinkPageBlock is the body of add-link-block. The OpenAPI document has one variant per block type, with the
// property type as discriminator.
type AddLinkPageBlock struct {
	Type      LinkBlockType  `json:"type" doc:"Type of the block. It never changes."`
	Settings  blockSettings  `json:"settings" doc:"Content of the block. Its fields depend on the type."`
	IsVisible Optional[bool] `json:"isVisible,omitzero" example:"true" doc:"Whether the block is shown. Default: true."`
	ShowFrom  string         `json:"showFrom,omitempty" nullable:"true" format:"date-time" example:"2026-03-01T09:00:00+02:00" doc:"Start of the display period: RFC 3339 with an offset."`
	ShowUntil string         `json:"showUntil,omitempty" nullable:"true" format:"date-time" example:"2026-04-01T09:00:00+02:00" doc:"End of the display period: RFC 3339 with an offset."`
	Position  Optional[int]  `json:"position,omitzero" minimum:"0" maximum:"99" example:"0" doc:"Position among the blocks, from 0. Default: at the end."`
}

// Check implements Body.
func (b AddLinkPageBlock) Check() []apperr.Field {
	if b.Type == "" || b.Settings.raw == nil {
		return nil // the schema has reported it
	}
	in, err := b.Command()
	if err == nil {
		err = in.Check()
	}
	return fieldsOf(err)
}

// CheckReferences implements Referrer.
func (b AddLinkPageBlock) CheckReferences() error { return b.Settings.checkReferences() }

// Command returns the input of the use case.
func (b AddLinkPageBlock) Command() (linkpage.NewBlock, error) {
	in := linkpage.NewBlock{
		Type: linkpage.BlockType(b.Type), Settings: []byte(b.Settings.raw), Hidden: b.IsVisible.Set && !b.IsVisible.Value,
		Position: b.Position.pointer(),
	}
	var err error
	if in.ShowFrom, err = OptionalTime(b.ShowFrom); err != nil { // cannot fail after schema validation
		return in, err
	}
	in.ShowUntil, err = OptionalTime(b.ShowUntil)
	return in, err
}

// UpdateLinkPageBlock is the body of update-link-block. Omitted fields stay unchanged, also those of settings.
type UpdateLinkPageBlock struct {
	Settings  Optional[blockSettings] `json:"settings,omitzero" doc:"Changes of the settings: a merge patch (RFC 7396). Null removes an optional field. Lists are replaced as a whole."`
	IsVisible Optional[bool]          `json:"isVisible,omitzero" example:"false" doc:"Whether the block is shown."`
	ShowFrom  Optional[string]        `json:"showFrom,omitzero" nullable:"true" format:"date-time" example:"2026-03-01T09:00:00+02:00" doc:"Start of the display period: RFC 3339 with an offset. Null: no start."`
	ShowUntil Optional[string]        `json:"showUntil,omitzero" nullable:"true" format:"date-time" example:"2026-04-01T09:00:00+02:00" doc:"End of the display period: RFC 3339 with an offset. Null: no end."`
}

// Check implements Body.
func (b UpdateLinkPageBlock) Check() []apperr.Field {
	if !b.Settings.Set && !b.IsVisible.Set && !b.ShowFrom.Set && !b.ShowUntil.Set {
		return []apperr.Field{
			{Pointer: "", Message: "nothing to change; send at least one of settings, isVisible, showFrom, showUntil"},
		}
	}
	return nil
}

// CheckReferences implements Referrer.
func (b UpdateLinkPageBlock) CheckReferences() error { return b.Settings.Value.checkReferences() }

// Edit returns the changes for the use case.
func (b UpdateLinkPageBlock) Edit() (linkpage.BlockEdit, error) {
	edit := linkpage.BlockEdit{Settings: []byte(b.Settings.Value.raw), Visible: b.IsVisible.pointer()}
	for _, bound := range []struct {
		text Optional[string]
		into **time.Time
	}{{b.ShowFrom, &edit.ShowFrom}, {b.ShowUntil, &edit.ShowUntil}} {
		if !bound.text.Set {
			continue
		}
		at, err := OptionalTime(bound.text.Value)
		if err != nil { // cannot fail after schema validation
			return edit, err
		}
		*bound.into = &at
	}
	return edit, nil
}

// OrderLinkBlocks is the body of order-link-blocks.
type OrderLinkBlocks struct {
	BlockIDs []ident.LinkBlock `json:"blockIds" format:"uuid" maxItems:"100" uniqueItems:"true" example:"[\"0190a3d2-e8df-7c46-97d0-36c40f68e72c\"]" doc:"Every block of the draft, each once, in display order."`
}

// Check implements Body.
func (OrderLinkBlocks) Check() []apperr.Field { return nil }

// fieldsOf returns the faults in an error.
func fieldsOf(err error) []apperr.Field {
	if failure := new(apperr.Error); errors.As(err, &failure) {
		return failure.Fields
	}
	return nil
}

// pictures returns NOT_FOUND if one of the assets is the nil UUID.
func pictures(given ...Optional[ident.Media]) error {
	for _, id := range given {
		if err := existing(id, "There is no media asset %s."); err != nil {
			return err
		}
	}
	return nil
}

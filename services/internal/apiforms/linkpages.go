package apiforms

import (
	"github.com/danielgtaylor/huma/v2"

	"socialpub.internal/shared/domain/linkpage"
	"socialpub.internal/shared/kernel/ident"
)

// LinkPage is the link page in responses: its draft and its published version (decisions, section 8).
type LinkPage struct {
	ID                    ident.LinkPage     `json:"id" format:"uuid" example:"0190a3d1-d7ce-7b35-86bf-25b3fe57d61b" doc:"Id of the page."`
	Handle                string             `json:"handle" example:"mara-weber" doc:"Name of the page's address, in the draft."`
	URL                   string             `json:"url" format:"uri" example:"https://pages.example.com/mara-weber" doc:"Where the page is once the draft is published."`
	Status                LinkPageStatus     `json:"status" doc:"PUBLISHED while visitors can see the page, otherwise DRAFT."`
	Title                 string             `json:"title" example:"Mara Weber" doc:"Title, in the draft."`
	Bio                   OptionalText       `json:"bio" example:"Ceramics from Leipzig" doc:"Text below the title, in the draft."`
	SEO                   LinkPageSEO        `json:"seo" doc:"What search engines and previews are told, in the draft."`
	Theme                 LinkPageTheme      `json:"theme" doc:"How the page looks, in the draft."`
	Blocks                []LinkPageBlock    `json:"blocks" doc:"The blocks of the draft, in the order in which they are shown."`
	Revision              int                `json:"revision" example:"7" doc:"Counts the changes of the page; in quotes it is the page's ETag."`
	HasUnpublishedChanges bool               `json:"hasUnpublishedChanges" example:"false" doc:"Whether publishing would show visitors something else; true while the page is not published."`
	Published             *PublishedLinkPage `json:"published" doc:"What visitors see; null while that is nothing."`
	CreatedAt             Timestamp          `json:"createdAt" doc:"When the page was made."`
	UpdatedAt             Timestamp          `json:"updatedAt" doc:"When the page changed last."`
}

// TransformSchema completes the documentation.
func (LinkPage) TransformSchema(_ huma.Registry, s *huma.Schema) *huma.Schema {
	return Nullable(s, "published")
}

// PublishedLinkPage is the version of a page that visitors see.
type PublishedLinkPage struct {
	Handle      string          `json:"handle" example:"mara-weber" doc:"Name of the page's address."`
	URL         string          `json:"url" format:"uri" example:"https://pages.example.com/mara-weber" doc:"Where the page is."`
	Version     int             `json:"version" example:"3" doc:"Counts the publications of the page."`
	Title       string          `json:"title" example:"Mara Weber" doc:"Title."`
	Bio         OptionalText    `json:"bio" example:"Ceramics from Leipzig" doc:"Text below the title."`
	SEO         LinkPageSEO     `json:"seo" doc:"What search engines and previews are told."`
	Theme       LinkPageTheme   `json:"theme" doc:"How the page looks."`
	Blocks      []LinkPageBlock `json:"blocks" doc:"The blocks, in the order in which they are shown."`
	PublishedAt Timestamp       `json:"publishedAt" doc:"When this was published."`
}

// LinkPageSEO is the metadata for search engines and link previews.
type LinkPageSEO struct {
	Title        OptionalText `json:"title" example:"Mara Weber, ceramics" doc:"Title; null: that of the page."`
	Description  OptionalText `json:"description" example:"Bowls and cups, thrown by hand." doc:"Description; null: the page's bio."`
	ImageMediaID OptionalText `json:"imageMediaId" format:"uuid" example:"0190a3c9-5f46-7bad-ae88-9d5b6a7f8e93" doc:"Picture of previews; null: the page's avatar."`
	NoIndex      bool         `json:"noIndex" example:"false" doc:"Whether search engines are asked to leave the page out."`
}

// LinkPageTheme is the appearance of a page.
type LinkPageTheme struct {
	Name          ThemeName    `json:"name" doc:"The design."`
	AccentColor   string       `json:"accentColor" pattern:"^#[0-9a-f]{6}$" example:"#0b7189" doc:"Colour of buttons and marks."`
	Appearance    Appearance   `json:"appearance" doc:"Whether the page is light or dark."`
	AvatarMediaID OptionalText `json:"avatarMediaId" format:"uuid" example:"0190a3c9-5f46-7bad-ae88-9d5b6a7f8e93" doc:"Picture at the top; null: the first letter of the title."`
}

// LinkPageSummary is a page in a list.
type LinkPageSummary struct {
	ID                    ident.LinkPage    `json:"id" format:"uuid" example:"0190a3d1-d7ce-7b35-86bf-25b3fe57d61b" doc:"Id of the page."`
	Handle                string            `json:"handle" example:"mara-weber" doc:"Name of the page's address, in the draft."`
	URL                   string            `json:"url" format:"uri" example:"https://pages.example.com/mara-weber" doc:"Where the page is once the draft is published."`
	Status                LinkPageStatus    `json:"status" doc:"PUBLISHED while visitors can see the page, otherwise DRAFT."`
	Title                 string            `json:"title" example:"Mara Weber" doc:"Title, in the draft."`
	BlockCount            int               `json:"blockCount" example:"5" doc:"How many blocks the draft has."`
	Revision              int               `json:"revision" example:"7" doc:"Counts the changes of the page."`
	HasUnpublishedChanges bool              `json:"hasUnpublishedChanges" example:"false" doc:"Whether publishing would show visitors something else; true while the page is not published."`
	PublishedURL          OptionalText      `json:"publishedUrl" format:"uri" example:"https://pages.example.com/mara-weber" doc:"Where visitors see the page; null while that is nowhere."`
	PublishedAt           OptionalTimestamp `json:"publishedAt" doc:"When what visitors see was published; null while that is nothing."`
	CreatedAt             Timestamp         `json:"createdAt" doc:"When the page was made."`
	UpdatedAt             Timestamp         `json:"updatedAt" doc:"When the page changed last."`
}

// LinkPageList is the list of the workspace's link pages.
type LinkPageList struct {
	Data       []LinkPageSummary `json:"data" doc:"Link pages, oldest first, without their blocks. A workspace has at most 100, so that there is one page of the list only."`
	NextCursor OptionalText      `json:"nextCursor" doc:"Always null."`
}

// TransformSchema completes the documentation.
func (LinkPageList) TransformSchema(_ huma.Registry, s *huma.Schema) *huma.Schema {
	s.Properties["nextCursor"].Examples = []any{nil}
	return s
}

// The enumerations of link pages, documented from the domain's own lists.
type (
	// LinkPageStatus is a linkpage.Status.
	LinkPageStatus string
	// ThemeName is a linkpage.ThemeName.
	ThemeName string
	// Appearance is a linkpage.Appearance.
	Appearance string
	// LinkBlockType is a linkpage.BlockType.
	LinkBlockType string
)

// Schema documents the type.
func (LinkPageStatus) Schema(r huma.Registry) *huma.Schema {
	return Enum(r, "LinkPageStatus", "State of a link page.", []linkpage.Status{linkpage.Draft, linkpage.Published})
}

// Schema documents the type.
func (ThemeName) Schema(r huma.Registry) *huma.Schema {
	return Enum(r, "ThemeName", "Design of a link page, with a light and a dark palette. Tolerate new values.", linkpage.ThemeNames())
}

// Schema documents the type.
func (Appearance) Schema(r huma.Registry) *huma.Schema {
	return Enum(r, "Appearance", "Whether a link page is light or dark; AUTO: as the visitor's system is.", linkpage.Appearances())
}

// Schema documents the type.
func (LinkBlockType) Schema(r huma.Registry) *huma.Schema {
	return Enum(r, "LinkBlockType", "Kind of a block. Treat unknown types as a generic block.", linkpage.BlockTypes())
}

// ToAPILinkPage converts a page; pagesURL is the prefix of its addresses.
func ToAPILinkPage(pagesURL string, p linkpage.Page) LinkPage {
	out := LinkPage{
		ID: p.ID, Handle: p.Handle, URL: pageURL(pagesURL, p.Handle), Status: LinkPageStatus(p.Status()), Title: p.Draft.Title,
		Bio: OptionalText(p.Draft.Bio), SEO: toAPISEO(p.Draft.SEO), Theme: toAPITheme(p.Draft.Theme), Blocks: toAPIBlocks(p.Draft.Blocks),
		Revision: p.Revision, HasUnpublishedChanges: p.Changed(), CreatedAt: Timestamp(p.CreatedAt), UpdatedAt: Timestamp(p.UpdatedAt),
	}
	if live := p.Live; live != nil {
		out.Published = &PublishedLinkPage{
			Handle: live.Handle, URL: pageURL(pagesURL, live.Handle), Version: live.Version, Title: live.Content.Title,
			Bio: OptionalText(live.Content.Bio), SEO: toAPISEO(live.Content.SEO), Theme: toAPITheme(live.Content.Theme),
			Blocks: toAPIBlocks(live.Content.Blocks), PublishedAt: Timestamp(live.PublishedAt),
		}
	}
	return out
}

// pageURL returns the address of a page. Handles need no URL encoding.
func pageURL(pagesURL, handle string) string { return pagesURL + "/" + handle }

// ToAPILinkPages converts the list of pages.
func ToAPILinkPages(pagesURL string, pages []linkpage.Summary) LinkPageList {
	data := make([]LinkPageSummary, len(pages))
	for i, p := range pages {
		data[i] = LinkPageSummary{
			ID: p.ID, Handle: p.Handle, URL: pageURL(pagesURL, p.Handle), Status: LinkPageStatus(linkpage.Draft), Title: p.Title, BlockCount: p.Blocks,
			Revision: p.Revision, HasUnpublishedChanges: p.Unpublished, CreatedAt: Timestamp(p.CreatedAt), UpdatedAt: Timestamp(p.UpdatedAt),
		}
		if p.Live {
			data[i].Status, data[i].PublishedAt = LinkPageStatus(linkpage.Published), OptionalTimestamp(p.PublishedAt)
			data[i].PublishedURL = OptionalText(pageURL(pagesURL, p.LiveHandle))
		}
	}
	return LinkPageList{Data: data}
}

func toAPISEO(s linkpage.SEO) LinkPageSEO {
	return LinkPageSEO{
		Title: OptionalText(s.Title), Description: OptionalText(s.Description), ImageMediaID: optionalID(s.Image), NoIndex: s.NoIndex,
	}
}

func toAPITheme(t linkpage.Theme) LinkPageTheme {
	return LinkPageTheme{
		Name: ThemeName(t.Name), AccentColor: string(t.Accent), Appearance: Appearance(t.Appearance), AvatarMediaID: optionalID(t.Avatar),
	}
}

// optionalID converts an id. The zero id becomes null.
func optionalID(id ident.Media) OptionalText {
	if id.IsZero() {
		return ""
	}
	return OptionalText(id.String())
}

package apiforms

import (
	"github.com/danielgtaylor/huma/v2"

	"fencepost.internal/shared/domain/linkpage"
	"fencepost.internal/shared/kernel/ident"
)

// LinkPage is the link page in responses: its draft and its published version (docs/contract.md, Link pages).
type LinkPage struct {
	ID                    ident.LinkPage     `json:"id" format:"uuid" example:"0190a3d1-d7ce-7b35-86bf-25b3fe57d61b" doc:"Id of the page."`
	Handle                string             `json:"handle" example:"mara-weber" doc:"Last part of the page's URL, in the draft."`
	URL                   string             `json:"url" format:"uri" example:"https://pages.example.com/mara-weber" doc:"URL of the page once the draft is published."`
	Status                LinkPageStatus     `json:"status" doc:"PUBLISHED while visitors can see the page, otherwise DRAFT."`
	Title                 string             `json:"title" example:"Mara Weber" doc:"Title, in the draft."`
	Bio                   OptionalText       `json:"bio" example:"Ceramics from Leipzig" doc:"Text below the title, in the draft."`
	SEO                   LinkPageSEO        `json:"seo" doc:"Data for search engines and link previews, in the draft."`
	Theme                 LinkPageTheme      `json:"theme" doc:"Design of the page, in the draft."`
	Blocks                []LinkPageBlock    `json:"blocks" doc:"Blocks of the draft, in display order."`
	Revision              int                `json:"revision" example:"7" doc:"Number of changes of the page. In quotes, it is the page's ETag."`
	HasUnpublishedChanges bool               `json:"hasUnpublishedChanges" example:"false" doc:"Whether publishing would change what visitors see. True while the page is not published."`
	Published             *PublishedLinkPage `json:"published" doc:"The published version, which visitors see. Null while the page is not published."`
	CreatedAt             Timestamp          `json:"createdAt" doc:"Time at which the page was created."`
	UpdatedAt             Timestamp          `json:"updatedAt" doc:"Time of the last change."`
}

// TransformSchema completes the documentation.
func (LinkPage) TransformSchema(_ huma.Registry, s *huma.Schema) *huma.Schema {
	return Nullable(s, "published")
}

// PublishedLinkPage is the version of a page that visitors see.
type PublishedLinkPage struct {
	Handle      string          `json:"handle" example:"mara-weber" doc:"Last part of the page's URL."`
	URL         string          `json:"url" format:"uri" example:"https://pages.example.com/mara-weber" doc:"URL of the page."`
	Version     int             `json:"version" example:"3" doc:"Number of publications of the page."`
	Title       string          `json:"title" example:"Mara Weber" doc:"Title."`
	Bio         OptionalText    `json:"bio" example:"Ceramics from Leipzig" doc:"Text below the title."`
	SEO         LinkPageSEO     `json:"seo" doc:"Data for search engines and link previews."`
	Theme       LinkPageTheme   `json:"theme" doc:"Design of the page."`
	Blocks      []LinkPageBlock `json:"blocks" doc:"Blocks, in display order."`
	PublishedAt Timestamp       `json:"publishedAt" doc:"Time of the publication."`
}

// LinkPageSEO is the metadata for search engines and link previews.
type LinkPageSEO struct {
	Title        OptionalText `json:"title" example:"Mara Weber, ceramics" doc:"Title. Null: the page's title."`
	Description  OptionalText `json:"description" example:"Bowls and cups, thrown by hand." doc:"Description. Null: the page's bio."`
	ImageMediaID OptionalText `json:"imageMediaId" format:"uuid" example:"0190a3c9-5f46-7bad-ae88-9d5b6a7f8e93" doc:"Image of previews. Null: the page's avatar."`
	NoIndex      bool         `json:"noIndex" example:"false" doc:"Whether the page asks search engines not to index it."`
}

// LinkPageTheme is the appearance of a page.
type LinkPageTheme struct {
	Name          ThemeName    `json:"name" doc:"Name of the theme."`
	AccentColor   string       `json:"accentColor" pattern:"^#[0-9a-f]{6}$" example:"#0b7189" doc:"Color of buttons and highlights."`
	Appearance    Appearance   `json:"appearance" doc:"Color scheme of the page."`
	AvatarMediaID OptionalText `json:"avatarMediaId" format:"uuid" example:"0190a3c9-5f46-7bad-ae88-9d5b6a7f8e93" doc:"Image at the top. Null: the first letter of the title."`
}

// LinkPageSummary is a page in a list.
type LinkPageSummary struct {
	ID                    ident.LinkPage    `json:"id" format:"uuid" example:"0190a3d1-d7ce-7b35-86bf-25b3fe57d61b" doc:"Id of the page."`
	Handle                string            `json:"handle" example:"mara-weber" doc:"Last part of the page's URL, in the draft."`
	URL                   string            `json:"url" format:"uri" example:"https://pages.example.com/mara-weber" doc:"URL of the page once the draft is published."`
	Status                LinkPageStatus    `json:"status" doc:"PUBLISHED while visitors can see the page, otherwise DRAFT."`
	Title                 string            `json:"title" example:"Mara Weber" doc:"Title, in the draft."`
	BlockCount            int               `json:"blockCount" example:"5" doc:"Number of blocks in the draft."`
	Revision              int               `json:"revision" example:"7" doc:"Number of changes of the page."`
	HasUnpublishedChanges bool              `json:"hasUnpublishedChanges" example:"false" doc:"Whether publishing would change what visitors see. True while the page is not published."`
	PublishedURL          OptionalText      `json:"publishedUrl" format:"uri" example:"https://pages.example.com/mara-weber" doc:"URL of the published version. Null while the page is not published."`
	PublishedAt           OptionalTimestamp `json:"publishedAt" doc:"Time of the last publication. Null while the page is not published."`
	CreatedAt             Timestamp         `json:"createdAt" doc:"Time at which the page was created."`
	UpdatedAt             Timestamp         `json:"updatedAt" doc:"Time of the last change."`
}

// LinkPageList is the list of the workspace's link pages.
type LinkPageList struct {
	Data       []LinkPageSummary `json:"data" doc:"Link pages, oldest first, without their blocks. A workspace has at most 100, so the list has a single page."`
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
	return Enum(r, "ThemeName", "Theme of a link page, with a light and a dark palette. Tolerate new values.",
		linkpage.ThemeNames())
}

// Schema documents the type.
func (Appearance) Schema(r huma.Registry) *huma.Schema {
	return Enum(r, "Appearance", "Color scheme of a link page. AUTO follows the visitor's system.", linkpage.Appearances())
}

// Schema documents the type.
func (LinkBlockType) Schema(r huma.Registry) *huma.Schema {
	return Enum(r, "LinkBlockType", "Type of a block. Treat unknown types as a generic block.", linkpage.BlockTypes())
}

// ToAPILinkPage converts a page; pagesURL is the prefix of its addresses.
func ToAPILinkPage(pagesURL string, p linkpage.Page) LinkPage {
	out := LinkPage{
		ID: p.ID, Handle: p.Handle, URL: pageURL(pagesURL, p.Handle), Status: LinkPageStatus(p.Status()),
		Title: p.Draft.Title,
		Bio:   OptionalText(p.Draft.Bio), SEO: toAPISEO(p.Draft.SEO), Theme: toAPITheme(p.Draft.Theme),
		Blocks:   toAPIBlocks(p.Draft.Blocks),
		Revision: p.Revision, HasUnpublishedChanges: p.Changed(), CreatedAt: Timestamp(p.CreatedAt),
		UpdatedAt: Timestamp(p.UpdatedAt),
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
			ID: p.ID, Handle: p.Handle, URL: pageURL(pagesURL, p.Handle), Status: LinkPageStatus(linkpage.Draft), Title: p.Title,
			BlockCount: p.Blocks,
			Revision:   p.Revision, HasUnpublishedChanges: p.Unpublished, CreatedAt: Timestamp(p.CreatedAt),
			UpdatedAt: Timestamp(p.UpdatedAt),
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
		Title: OptionalText(s.Title), Description: OptionalText(s.Description), ImageMediaID: optionalID(s.Image),
		NoIndex: s.NoIndex,
	}
}

func toAPITheme(t linkpage.Theme) LinkPageTheme {
	return LinkPageTheme{
		Name: ThemeName(t.Name), AccentColor: string(t.Accent), Appearance: Appearance(t.Appearance),
		AvatarMediaID: optionalID(t.Avatar),
	}
}

// optionalID converts an id. The zero id becomes null.
func optionalID(id ident.Media) OptionalText {
	if id.IsZero() {
		return ""
	}
	return OptionalText(id.String())
}

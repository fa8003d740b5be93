package httpapi

import (
	"github.com/danielgtaylor/huma/v2"

	"fencepost.internal/services/internal/apiforms"
	"fencepost.internal/shared/domain/linkpage"
	"fencepost.internal/shared/kernel/ident"
)

const (
	examplePages     = "https://pages.example.com"
	exampleLinkID    = "0190a3d1-d7ce-7b35-86bf-25b3fe57d61b"
	exampleBlockID   = "0190a3d2-e8df-7c46-97d0-36c40f68e72c"
	exampleSpringSet = "https://shop.example.com/spring"
)

// examplePageWith returns a page at a revision.
func examplePageWith(revision int, blocks ...linkpage.Block) linkpage.Page {
	theme := linkpage.Theme{
		Name: linkpage.ThemeOcean, Accent: linkpage.ThemeOcean.Design().Accent, Appearance: linkpage.AppearanceAuto,
	}
	return linkpage.Page{
		ID: idOf[ident.LinkPage](exampleLinkID), Handle: "mara-weber", Revision: revision, CreatedAt: exampleDay(6),
		UpdatedAt: exampleDay(7),
		Draft:     linkpage.Content{Title: "Mara Weber", Bio: "Ceramics from Leipzig", Theme: theme, Blocks: blocks},
	}
}

func exampleNewPage() apiforms.LinkPage {
	return apiforms.ToAPILinkPage(examplePages, examplePageWith(1))
}

func exampleLinkPage() apiforms.LinkPage {
	return apiforms.ToAPILinkPage(examplePages, examplePageWith(2, exampleLink()).Publish(exampleDay(7)))
}

func exampleSummaries() []linkpage.Summary {
	return []linkpage.Summary{{
		ID: idOf[ident.LinkPage](exampleLinkID), Handle: "mara-weber", Title: "Mara Weber", Blocks: 1, Revision: 3,
		Live: true, LiveHandle: "mara-weber",
		PublishedAt: exampleDay(7), CreatedAt: exampleDay(6), UpdatedAt: exampleDay(7),
	}}
}

func exampleLink() linkpage.Block {
	return linkpage.Block{
		ID: idOf[ident.LinkBlock](exampleBlockID), Visible: true,
		Settings: linkpage.Link{Title: "Shop", URL: exampleSpringSet, Description: "New bowls every Friday", Featured: true},
	}
}

func exampleBlock() apiforms.LinkPageBlock { return apiforms.ToAPIBlock(exampleLink()) }

// exampleBlocks returns bodies of add-link-block for the types that refer to no other resource.
func exampleBlocks() map[string]*huma.Example {
	examples := make(map[string]*huma.Example)
	for _, d := range linkpage.Descriptors() {
		if example := d.Example; example.Name != "" {
			examples[example.Name] = &huma.Example{
				Summary: example.Summary, Value: map[string]any{"type": d.Type, "settings": example.Settings},
			}
		}
	}
	return examples
}

// exampleAddedBlocks returns the blocks that the example bodies create, by name.
func exampleAddedBlocks() map[string]any {
	added := make(map[string]any)
	for name, example := range exampleBlocks() {
		body, _ := example.Value.(map[string]any)
		typ, _ := body["type"].(linkpage.BlockType)
		block := exampleLink()
		// a test sends every example
		if settings, err := linkpage.ReadSettings(typ, exampleOf(body["settings"])); err == nil {
			block.Settings = settings
		}
		added[name] = apiforms.ToAPIBlock(block)
	}
	return added
}

// exampleThemed returns a page with its theme's default accent.
func exampleThemed(handle string, revision int, theme linkpage.ThemeName, bio string) apiforms.LinkPage {
	page := examplePageWith(revision)
	page.Handle, page.Draft.Bio = handle, bio
	page.Draft.Theme = linkpage.Theme{Name: theme, Accent: theme.Design().Accent, Appearance: linkpage.AppearanceAuto}
	return apiforms.ToAPILinkPage(examplePages, page)
}

func exampleVisits() apiforms.LinkPageAnalytics {
	from, to := exampleDay(0).AddDate(0, 0, -1), exampleDay(0)
	return apiforms.ToAPILinkPageAnalytics(linkpage.Analytics{
		PageID: idOf[ident.LinkPage](exampleLinkID), Period: linkpage.Period{From: from, To: to}, Views: 75, Visitors: 61,
		Clicks: 12,
		Days: []linkpage.DayVisits{
			{Day: from, Views: 34, Visitors: 28, Clicks: 5}, {Day: to, Views: 41, Visitors: 33, Clicks: 7},
		},
		Blocks: []linkpage.BlockClicks{{
			BlockID: idOf[ident.LinkBlock](exampleBlockID), Type: "LINK", Label: "Shop", Clicks: 12,
			Days: []linkpage.DayClicks{{Day: from, Clicks: 5}, {Day: to, Clicks: 7}},
		}},
	})
}

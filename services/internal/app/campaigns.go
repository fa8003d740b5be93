package app

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"

	"fencepost.internal/shared/domain/audit"
	"fencepost.internal/shared/domain/campaign"
	"fencepost.internal/shared/domain/credential"
	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/domain/snippet"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/kernel/apperr"
	"fencepost.internal/shared/kernel/ident"
)

// campaignUseCases are those of campaigns and of short links.
type campaignUseCases struct {
	*Records

	snippets *snippetUseCases
	shorts   *postgres.ShortLinks
	shortURL string
}

// Campaigns returns the campaigns of the workspace, by their names.
func (a *campaignUseCases) Campaigns(ctx context.Context, p Principal) ([]campaign.Campaign, error) {
	return a.campaigns.List(ctx, p.WorkspaceID)
}

// Campaign returns a campaign; NOT_FOUND if the workspace has no such campaign.
func (a *campaignUseCases) Campaign(ctx context.Context, p Principal, id ident.Campaign) (campaign.Campaign, error) {
	return a.campaigns.Get(ctx, p.WorkspaceID, id)
}

// CampaignStates returns the numbers of posts of the workspace's campaigns, by their states.
func (a *campaignUseCases) CampaignStates(ctx context.Context, p Principal) (map[ident.Campaign]map[post.Status]int, error) {
	return a.campaigns.States(ctx, p.WorkspaceID)
}

// AddCampaign creates a campaign. As labels, campaigns are for those who may publish. VALIDATION_FAILED with every fault.
func (a *campaignUseCases) AddCampaign(ctx context.Context, p Principal, c campaign.Campaign) (campaign.Campaign, error) {
	if err := p.Require(credential.PostsPublish); err != nil {
		return c, err
	}
	known, err := a.campaigns.List(ctx, p.WorkspaceID)
	if err != nil {
		return c, err
	}
	c.ID, c.WorkspaceID, c.CreatedAt, c.UpdatedAt = ident.New[ident.Campaign](), p.WorkspaceID, a.now(), a.now()
	c, faults := readCampaign(c)
	if len(known) >= campaign.MaxPerWorkspace {
		faults = append(faults, apperr.Field{
			Pointer: "/name", Message: fmt.Sprintf("is one too many: the workspace has %d campaigns; delete one first", len(known)),
		})
	}
	if err := apperr.Invalid(faults); err != nil {
		return c, err
	}
	return c, campaignTaken(a.recorded(ctx, p, audit.CampaignCreated, c.Name, "", func(ctx context.Context) error {
		return a.campaigns.Insert(ctx, c)
	}))
}

// ChangeCampaign changes a campaign. The errors are those of AddCampaign, and NOT_FOUND.
func (a *campaignUseCases) ChangeCampaign(ctx context.Context, p Principal, to campaign.Campaign) error {
	if err := p.Require(credential.PostsPublish); err != nil {
		return err
	}
	known, err := a.campaigns.Get(ctx, p.WorkspaceID, to.ID)
	if err != nil {
		return err
	}
	to.WorkspaceID, to.CreatedAt, to.UpdatedAt = p.WorkspaceID, known.CreatedAt, a.now()
	to, faults := readCampaign(to)
	if err := apperr.Invalid(faults); err != nil {
		return err
	}
	detail := ""
	if known.Name != to.Name {
		detail = "Was: " + known.Name
	}
	return campaignTaken(a.recorded(ctx, p, audit.CampaignChanged, to.Name, detail, func(ctx context.Context) error {
		return a.campaigns.Update(ctx, to)
	}))
}

// DeleteCampaign deletes a campaign. Its posts stay, without it. NOT_FOUND if the workspace has no such campaign.
func (a *campaignUseCases) DeleteCampaign(ctx context.Context, p Principal, id ident.Campaign) error {
	if err := p.Require(credential.PostsPublish); err != nil {
		return err
	}
	known, err := a.campaigns.Get(ctx, p.WorkspaceID, id)
	if err != nil {
		return err
	}
	return a.recorded(ctx, p, audit.CampaignDeleted, known.Name, "", func(ctx context.Context) error {
		return a.campaigns.Delete(ctx, p.WorkspaceID, id, a.now())
	})
}

func campaignTaken(err error) error {
	if errors.Is(err, postgres.ErrNameInUse) {
		return apperr.Invalid([]apperr.Field{{Pointer: "/name", Message: "is the name of another campaign; choose another name"}})
	}
	return err
}

// readCampaign returns a campaign as it is stored, and its faults.
func readCampaign(c campaign.Campaign) (campaign.Campaign, []apperr.Field) {
	c, faults := c.Read()
	if !slices.Contains(post.LabelColors(), c.Color) {
		faults = append(faults, apperr.Field{Pointer: "/color", Message: "is not one of the colors of labels; choose one of them"})
	}
	rule, wrong := ruleOf(c.Links).Read()
	c.Links = campaign.Links{Source: rule.Source, Medium: rule.Medium, Campaign: rule.Campaign, Content: rule.Content}
	return c, append(faults, wrong...)
}

func ruleOf(l campaign.Links) snippet.LinkRule {
	return snippet.LinkRule{Source: l.Source, Medium: l.Medium, Campaign: l.Campaign, Content: l.Content}
}

// LinksIn returns the rule of the parameters of links in posts of a campaign: that of the campaign, if it has one, and otherwise
// that of the workspace. The zero campaign is none. NOT_FOUND if the workspace has no such campaign.
func (a *campaignUseCases) LinksIn(ctx context.Context, p Principal, id ident.Campaign) (snippet.LinkRule, error) {
	rule, err := a.snippets.LinksOf(ctx, p)
	if short, failure := url.Parse(a.shortURL); failure == nil && short.Hostname() != "" {
		rule.Except = append(rule.Except, short.Hostname()) // the target of a short link has the parameters
	}
	if err != nil || id.IsZero() {
		return rule, err
	}
	c, err := a.campaigns.Get(ctx, p.WorkspaceID, id)
	if own := ruleOf(c.Links); err == nil && own.Active() {
		own.Except, own.Automatic = rule.Except, rule.Automatic
		rule = own
	}
	return rule, err
}

// haveCampaign returns NOT_FOUND unless the workspace has the campaign, or there is none.
func (r *Records) haveCampaign(ctx context.Context, p Principal, id ident.Campaign) error {
	if id.IsZero() {
		return nil
	}
	_, err := r.campaigns.Get(ctx, p.WorkspaceID, id)
	if apperr.Is(err, apperr.NotFound) {
		return apperr.New(apperr.NotFound, "There is no campaign %s.", id)
	}
	return err
}

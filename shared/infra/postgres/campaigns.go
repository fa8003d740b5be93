package postgres

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"fencepost.internal/shared/domain/campaign"
	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/kernel/ident"
)

type campaignRow struct {
	ID          ident.Campaign
	WorkspaceID ident.Workspace
	Name        string
	Color       string
	FirstDay    *time.Time
	LastDay     *time.Time
	Links       []byte
	CreatedAt   time.Time
	UpdatedAt   time.Time
}

func fromCampaignRow(r campaignRow) (campaign.Campaign, error) {
	c := campaign.Campaign{
		ID: r.ID, WorkspaceID: r.WorkspaceID, Name: r.Name, Color: r.Color, From: value(r.FirstDay).UTC(), Until: value(r.LastDay).UTC(),
		CreatedAt: r.CreatedAt, UpdatedAt: r.UpdatedAt,
	}
	if err := json.Unmarshal(r.Links, &c.Links); err != nil {
		return c, fmt.Errorf("decode the links of a campaign: %w", err)
	}
	return c, nil
}

// Campaigns stores campaigns.
type Campaigns struct{ db *DB }

// NewCampaigns returns the store.
func NewCampaigns(db *DB) *Campaigns { return &Campaigns{db: db} }

// List returns the campaigns of a workspace, by their names.
func (s *Campaigns) List(ctx context.Context, of ident.Workspace) ([]campaign.Campaign, error) {
	var rows []campaignRow
	err := s.db.conn(ctx).Table("campaign").Where("workspace_id = ?", of).Order("key").Find(&rows).Error
	if err != nil {
		return nil, classify(err)
	}
	list := make([]campaign.Campaign, len(rows))
	for i, r := range rows {
		if list[i], err = fromCampaignRow(r); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// Get returns a campaign; NOT_FOUND when the workspace has no such campaign.
func (s *Campaigns) Get(ctx context.Context, of ident.Workspace, id ident.Campaign) (campaign.Campaign, error) {
	var row campaignRow
	err := s.db.conn(ctx).Table("campaign").Where("id = ? AND workspace_id = ?", id, of).Take(&row).Error
	if err != nil {
		return campaign.Campaign{}, rowError(err, "campaign")
	}
	return fromCampaignRow(row)
}

// Insert stores a campaign; ErrNameInUse if its name is taken.
func (s *Campaigns) Insert(ctx context.Context, c campaign.Campaign) error {
	columns, err := campaignColumns(c)
	if err != nil {
		return err
	}
	columns["id"], columns["workspace_id"], columns["created_at"] = c.ID, c.WorkspaceID, c.CreatedAt
	return named(s.db.conn(ctx).Table("campaign").Create(columns).Error)
}

// Update stores what was changed of a campaign; NOT_FOUND when the workspace has no such campaign, ErrNameInUse if its name is
// taken.
func (s *Campaigns) Update(ctx context.Context, c campaign.Campaign) error {
	columns, err := campaignColumns(c)
	if err != nil {
		return err
	}
	result := s.db.conn(ctx).Table("campaign").Where("id = ? AND workspace_id = ?", c.ID, c.WorkspaceID).Updates(columns)
	if result.Error == nil && result.RowsAffected == 0 {
		return notFound("campaign")
	}
	return named(result.Error)
}

// campaignColumns returns the columns that change.
func campaignColumns(c campaign.Campaign) (map[string]any, error) {
	links, err := jsonParam(c.Links)
	if err != nil {
		return nil, err
	}
	return map[string]any{
		"key": campaign.Key(c.Name), "name": c.Name, "color": c.Color, "first_day": dayOrNull(c.From), "last_day": dayOrNull(c.Until),
		"links": links, "updated_at": c.UpdatedAt,
	}, nil
}

func dayOrNull(day time.Time) any {
	if day.IsZero() {
		return nil
	}
	return day.Format(time.DateOnly)
}

// Delete deletes a campaign, in the transaction of ctx; its posts stay, without it. A change of a post that was decided before
// starts over, because the post is newer then. NOT_FOUND when the workspace has no such campaign.
func (s *Campaigns) Delete(ctx context.Context, of ident.Workspace, id ident.Campaign, now time.Time) error {
	err := s.db.conn(ctx).Exec(`UPDATE post SET campaign_id = NULL, updated_at = GREATEST(?, updated_at + interval '1 millisecond')
		WHERE workspace_id = ? AND campaign_id = ?`, now, of, id).Error
	if err != nil {
		return classify(err)
	}
	return affected(s.db.conn(ctx).Table("campaign").Where("id = ? AND workspace_id = ?", id, of).Delete(nil), "campaign")
}

// States returns the numbers of posts of each campaign of a workspace by their states. Campaigns without posts are left out.
func (s *Campaigns) States(ctx context.Context, of ident.Workspace) (map[ident.Campaign]map[post.Status]int, error) {
	var rows []struct {
		CampaignID ident.Campaign
		Status     string
		Posts      int
	}
	err := s.db.conn(ctx).Table("post").Select("campaign_id, status, count(*) AS posts").
		Where("workspace_id = ? AND campaign_id IS NOT NULL", of).Group("campaign_id, status").Scan(&rows).Error
	counts := make(map[ident.Campaign]map[post.Status]int)
	for _, r := range rows {
		if counts[r.CampaignID] == nil {
			counts[r.CampaignID] = make(map[post.Status]int)
		}
		counts[r.CampaignID][post.Status(r.Status)] = r.Posts
	}
	return counts, classify(err)
}

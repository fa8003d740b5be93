package postgres

import (
	"context"
	"time"

	"fencepost.internal/shared/domain/linkpage"
	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/kernel/ident"
)

// LivePages reads the published link pages of all workspaces, as visitors see them.
type LivePages struct {
	db    *DB
	media *Media
}

// NewLivePages returns the store.
func NewLivePages(db *DB) *LivePages { return &LivePages{db: db, media: NewMedia(db)} }

// LivePage is a published page.
type LivePage struct {
	ID          ident.LinkPage
	WorkspaceID ident.Workspace
	Host        string // the domain at which it is shown too; empty: none
	linkpage.Live
}

type livePageRow struct {
	PageID      ident.LinkPage
	WorkspaceID ident.Workspace
	Host        string
	Handle      string
	Version     int
	Revision    int
	Content     []byte
	PublishedAt time.Time
}

const livePageColumns = `l.page_id, p.workspace_id, coalesce(d.host, '') AS host, l.handle, l.version, l.revision, l.content, l.published_at`

// ByHandle returns the page that is live at the handle; NOT_FOUND if there is none.
func (s *LivePages) ByHandle(ctx context.Context, handle string) (LivePage, error) {
	return s.find(ctx, "l.handle = ?", handle)
}

// ByBlock returns the live page that contains the block; NOT_FOUND if there is none.
func (s *LivePages) ByBlock(ctx context.Context, id ident.LinkBlock) (LivePage, error) {
	return s.find(ctx, "l.block_ids @> CAST(? AS uuid[])", idArray([]ident.LinkBlock{id}))
}

func (s *LivePages) find(ctx context.Context, where string, arg any) (LivePage, error) {
	var row livePageRow
	err := s.db.conn(ctx).Table("link_page_live l").Joins("JOIN link_page p ON p.id = l.page_id").Joins(verifiedDomain).
		Select(livePageColumns).Where(where, arg).Take(&row).Error
	if err != nil {
		return LivePage{}, rowError(err, "link page")
	}
	content, err := decodeContent(row.Content)
	return LivePage{ID: row.PageID, WorkspaceID: row.WorkspaceID, Host: row.Host, Live: linkpage.Live{
		Handle: row.Handle, Content: content, Version: row.Version, Revision: row.Revision, PublishedAt: row.PublishedAt,
	}}, err
}

// verifiedDomain joins the domain of a page.
const verifiedDomain = `LEFT JOIN link_domain d ON d.page_id = l.page_id AND d.verified_at IS NOT NULL`

// LiveVersion identifies one version of one page, and the domain at which it is shown too.
type LiveVersion struct {
	PageID  ident.LinkPage
	Version int
	Host    string
}

// Versions returns the live version for each handle; handles without a live page are left out.
func (s *LivePages) Versions(ctx context.Context, handles []string) (map[string]LiveVersion, error) {
	var rows []livePageRow
	err := s.db.conn(ctx).Table("link_page_live l").Joins(verifiedDomain).
		Select("l.handle, l.page_id, l.version, coalesce(d.host, '') AS host").
		Where("l.handle = ANY(CAST(? AS text[]))", toArray(handles)).Find(&rows).Error
	if err != nil {
		return nil, classify(err)
	}
	versions := make(map[string]LiveVersion, len(rows))
	for _, r := range rows {
		versions[r.Handle] = LiveVersion{PageID: r.PageID, Version: r.Version, Host: r.Host}
	}
	return versions, nil
}

// Domains returns the handle of the live page for each verified domain.
func (s *LivePages) Domains(ctx context.Context) (map[string]string, error) {
	var rows []livePageRow
	err := s.db.conn(ctx).Table("link_domain d").Joins("JOIN link_page_live l ON l.page_id = d.page_id").
		Select("d.host, l.handle").Where("d.verified_at IS NOT NULL").Find(&rows).Error
	if err != nil {
		return nil, classify(err)
	}
	handles := make(map[string]string, len(rows))
	for _, r := range rows {
		handles[r.Host] = r.Handle
	}
	return handles, nil
}

// ShownPost is a published post as shown on a page.
type ShownPost struct {
	ID          ident.Post
	Content     string
	Title       string
	PostURL     string // empty until the network reports one
	MediaIDs    []ident.Media
	PublishedAt time.Time
	Channel     string // type of the channel
	Name        string // name of the channel
	Username    string // of the account; may be empty
}

// Posts returns the given posts that are published and belong to the workspace.
func (s *LivePages) Posts(
	ctx context.Context, workspace ident.Workspace, ids []ident.Post,
) (map[ident.Post]ShownPost, error) {
	var rows []struct {
		ID          ident.Post
		Content     string
		Title       string
		PostURL     *string   `gorm:"column:post_url"`
		MediaIDs    textArray `gorm:"column:media_ids"`
		PublishedAt *time.Time
		Channel     string
		Name        string
		Username    string
	}
	if len(ids) == 0 {
		return map[ident.Post]ShownPost{}, nil
	}
	err := s.db.conn(ctx).Table("post p").Joins("JOIN channel c ON c.id = p.channel_id").
		Select("p.id, p.content, p.title, p.post_url, p.media_ids, p.published_at, c.type AS channel, c.name, coalesce(c.username, '') AS username").
		Where("p.workspace_id = ? AND p.status = ?", workspace, string(post.Published)).
		Where("p.id = ANY(CAST(? AS uuid[]))", idArray(ids)).Find(&rows).Error
	if err != nil {
		return nil, classify(err)
	}
	posts := make(map[ident.Post]ShownPost, len(rows))
	for _, r := range rows {
		shown := ShownPost{
			ID: r.ID, Content: r.Content, Title: r.Title, PostURL: value(r.PostURL), PublishedAt: value(r.PublishedAt),
			Channel: r.Channel, Name: r.Name, Username: r.Username,
		}
		for _, text := range r.MediaIDs {
			if id, err := ident.Parse[ident.Media](text); err == nil {
				shown.MediaIDs = append(shown.MediaIDs, id)
			}
		}
		posts[r.ID] = shown
	}
	return posts, nil
}

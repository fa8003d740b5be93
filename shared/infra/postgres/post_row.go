package postgres

import (
	"strconv"
	"strings"
	"time"

	"fencepost.internal/shared/domain/approval"
	"fencepost.internal/shared/domain/event"
	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/kernel/ident"
)

// postRow is a row of the post table, as written and read by statements.
type postRow struct {
	ID                ident.Post               `json:"id"`
	WorkspaceID       ident.Workspace          `json:"workspace_id"`
	ChannelID         ident.Channel            `json:"channel_id"`
	AuthorID          *ident.User              `json:"author_id"`
	Content           string                   `json:"content"`
	Title             string                   `json:"title"`
	ContentType       string                   `json:"content_type"`
	MediaIDs          textArray                `json:"media_ids" gorm:"column:media_ids"`
	MediaAltTexts     mapColumn[post.AltTexts] `json:"media_alt_texts"`
	Status            string                   `json:"status"`
	ScheduledAt       *time.Time               `json:"scheduled_at"`
	PublishedAt       *time.Time               `json:"published_at"`
	CreatedAt         time.Time                `json:"created_at"`
	UpdatedAt         time.Time                `json:"updated_at"`
	Revision          int                      `json:"revision"`
	PublishingSince   *time.Time               `json:"publishing_since"`
	WaitingReason     *string                  `json:"waiting_reason"`
	WaitingUntil      *time.Time               `json:"waiting_until"`
	WaitingTry        int                      `json:"waiting_try"`
	WaitingDeadline   *time.Time               `json:"waiting_deadline"`
	OverridesPause    bool                     `json:"overrides_pause"`
	Confirmed         *bool                    `json:"confirmed"`
	PostURL           *string                  `json:"post_url" gorm:"column:post_url"`
	ErrorCode         *string                  `json:"error_code"`
	ErrorMessage      *string                  `json:"error_message"`
	ErrorRetryable    *bool                    `json:"error_retryable"`
	ApprovalStatus    *string                  `json:"approval_status"`
	ApprovalComment   *string                  `json:"approval_comment"`
	ApprovalDecidedAt *time.Time               `json:"approval_decided_at"`
	Options           optionsColumn            `json:"options"`
	ArchivedFrom      *string                  `json:"archived_from"`
	GroupID           *ident.Group             `json:"group_id"` // NULL: the post was created alone
	OwnMembers        textArray                `json:"own_members"`
	Labels            textArray                `json:"labels"`
	LabelKeys         textArray                `json:"label_keys" gorm:"-"` // written, never read
	CampaignID        *ident.Campaign          `json:"campaign_id"`
	ExternalID        *string                  `json:"external_id"`
	Metadata          mapColumn[post.Metadata] `json:"metadata"`
	AfterID           *ident.Post              `json:"after_id"`
	AfterDelay        *int                     `json:"after_delay"`
	AfterFailure      *string                  `json:"after_failure"`
	Parts             partsColumn              `json:"parts"`
	PartsState        *string                  `json:"parts_state"`
	RootID            *ident.Post              `json:"root_id"`
	PartIndex         *int                     `json:"part_index"`
	PartKind          *string                  `json:"part_kind"`
	Consents          consentsColumn           `json:"consents"`
	Writers           textArray                `json:"writers"`
	ChannelType       string                   `json:"-"` // read, never written; see postRead
	Policy            int                      `json:"-"` // read by a job alone
}

const postColumns = `id, workspace_id, channel_id, author_id, content, title, content_type, media_ids, status, scheduled_at,
	published_at, created_at, updated_at, revision, publishing_since, waiting_reason, waiting_until, post_url,
	error_code, error_message, error_retryable, approval_status, approval_comment, approval_decided_at,
	options, archived_from, media_alt_texts, waiting_try, waiting_deadline, overrides_pause, confirmed,
	group_id, own_members, labels, campaign_id, external_id, metadata, consents, writers,
	after_id, after_delay, after_failure, parts, parts_state, root_id, part_index, part_kind`

// postRead selects a post with the type of its channel, which its events have, and the approval policy: in one text, so that
// lists look up the channel of each post once. postListed is the same in a workspace, whose policy is read once.
const (
	postRead = postColumns + `, (SELECT c.type || ':' || GREATEST(c.approval_policy, w.approval_policy)
		FROM channel c JOIN workspace w ON w.id = c.workspace_id WHERE c.id = channel_id) AS channel_type`
	postListed = postColumns + `, (SELECT c.type || ':' || GREATEST(c.approval_policy,
		(SELECT w.approval_policy FROM workspace w WHERE w.id = @workspace)) FROM channel c WHERE c.id = channel_id) AS channel_type`
)

func toPostRow(p post.Post) postRow {
	row := postRow{
		ID: p.ID, WorkspaceID: p.WorkspaceID, ChannelID: p.ChannelID, AuthorID: optional(p.AuthorID),
		Content: p.Content, Title: p.Title,
		ContentType: string(p.ContentType), MediaIDs: idArray(p.MediaIDs),
		MediaAltTexts: mapColumn[post.AltTexts]{p.MediaAltTexts}, Status: string(p.Status),
		ScheduledAt: optional(p.ScheduledAt), PublishedAt: optional(p.PublishedAt), CreatedAt: p.CreatedAt,
		UpdatedAt: p.UpdatedAt,
		Revision:  p.Revision, PublishingSince: optional(p.PublishingSince), PostURL: optional(p.PostURL),
		Options: optionsColumn{given: p.HasOptions, Options: p.Options}, ArchivedFrom: optional(string(p.ArchivedFrom)),
		OverridesPause: p.OverridesPause, Confirmed: p.Confirmed,
		OwnMembers: toArray(p.Own), Labels: textArray(append([]string{}, p.Labels...)), LabelKeys: post.LabelKeys(p.Labels),
		CampaignID: optional(p.CampaignID), ExternalID: optional(p.ExternalID), Metadata: mapColumn[post.Metadata]{p.Metadata},
		Consents: consentsColumn(p.Consents), Writers: idArray(p.Writers),
		Parts: partsColumn{Thread: p.Thread, Comment: p.Comment}, PartsState: optional(string(p.PartsState)),
	}
	if of := p.PartOf; !of.IsZero() {
		row.RootID, row.PartIndex, row.PartKind = &of.RootID, &of.Index, ptr(string(of.Kind))
	}
	if after := p.After; !after.IsZero() {
		row.AfterID, row.AfterDelay, row.AfterFailure = &after.PostID, ptr(int(after.Delay/time.Second)), ptr(string(after.OnFailure))
	}
	if p.InSet() {
		row.GroupID = optional(p.GroupID)
	}
	if p.Waiting != nil {
		row.WaitingReason, row.WaitingUntil = ptr(string(p.Waiting.Reason)), optional(p.Waiting.Until)
		row.WaitingTry, row.WaitingDeadline = p.Waiting.Try, optional(p.Waiting.Deadline)
	}
	if p.Error != nil {
		row.ErrorCode, row.ErrorMessage, row.ErrorRetryable = &p.Error.Code, &p.Error.Message, &p.Error.Retryable
	}
	if p.Approval != nil {
		row.ApprovalStatus, row.ApprovalComment = ptr(string(p.Approval.Status)), optional(p.Approval.Comment)
		row.ApprovalDecidedAt = optional(p.Approval.DecidedAt)
	}
	return row
}

func fromPostRow(row postRow) post.Post {
	kind, policy, read := strings.Cut(row.ChannelType, ":")
	if read {
		row.Policy, _ = strconv.Atoi(policy) // a number
	}
	p := post.Post{
		ID: row.ID, WorkspaceID: row.WorkspaceID, ChannelID: row.ChannelID, AuthorID: value(row.AuthorID),
		Content: row.Content, Title: row.Title,
		ContentType: post.ContentType(row.ContentType), MediaIDs: fromIDArray[ident.Media](row.MediaIDs),
		MediaAltTexts: row.MediaAltTexts.texts, Status: post.Status(row.Status),
		ScheduledAt: value(row.ScheduledAt), PublishedAt: value(row.PublishedAt), CreatedAt: row.CreatedAt,
		UpdatedAt: row.UpdatedAt,
		Revision:  row.Revision, PublishingSince: value(row.PublishingSince), PostURL: value(row.PostURL),
		Options: row.Options.Options, HasOptions: row.Options.given, ArchivedFrom: post.Status(value(row.ArchivedFrom)),
		OverridesPause: row.OverridesPause, Confirmed: row.Confirmed,
		ChannelType: kind, GroupID: ident.Group(row.ID), CampaignID: value(row.CampaignID), ExternalID: value(row.ExternalID),
		Metadata: row.Metadata.texts, Policy: approval.Policy(row.Policy),
		Consents: []post.Consent(row.Consents),
		Thread:   row.Parts.Thread, Comment: row.Parts.Comment, PartsState: post.PartsState(value(row.PartsState)),
	}
	p.Parts = p.States(nil)
	if row.RootID != nil {
		p.PartOf = post.PartOf{RootID: *row.RootID, Index: value(row.PartIndex), Kind: post.PartKind(value(row.PartKind))}
	}
	if row.AfterID != nil {
		p.After = post.After{
			PostID: *row.AfterID, Delay: time.Duration(value(row.AfterDelay)) * time.Second,
			OnFailure: post.OnFailure(value(row.AfterFailure)),
		}
	}
	if len(row.Writers) > 0 {
		p.Writers = fromIDArray[ident.User](row.Writers)
	} else if row.AuthorID != nil { // a row of an earlier version
		p.Writers = []ident.User{*row.AuthorID}
	}
	if row.GroupID != nil {
		p.GroupID = *row.GroupID
	}
	if len(row.OwnMembers) > 0 {
		p.Own = fromArray[post.Member](row.OwnMembers)
	}
	if len(row.Labels) > 0 {
		p.Labels = row.Labels
	}
	if row.WaitingReason != nil {
		p.Waiting = &post.Waiting{
			Reason: post.WaitReason(*row.WaitingReason), Until: value(row.WaitingUntil),
			Try: row.WaitingTry, Deadline: value(row.WaitingDeadline),
		}
	}
	if row.ErrorCode != nil {
		p.Error = &post.Error{Code: *row.ErrorCode, Message: value(row.ErrorMessage), Retryable: value(row.ErrorRetryable)}
	}
	if row.ApprovalStatus != nil {
		p.Approval = &post.Approval{
			Status: post.ApprovalStatus(*row.ApprovalStatus), Comment: value(row.ApprovalComment),
			DecidedAt: value(row.ApprovalDecidedAt),
		}
	}
	return p
}

func fromPostRows(rows []postRow) []post.Post {
	return each(rows, fromPostRow)
}

type eventRow struct {
	ID          ident.Event     `json:"id"`
	WorkspaceID ident.Workspace `json:"workspace_id"`
	Type        string          `json:"type"`
	Body        string          `json:"body"`
	CreatedAt   time.Time       `json:"created_at"`
}

func toEventRow(e event.Event) eventRow {
	return eventRow{
		ID: e.ID, WorkspaceID: e.WorkspaceID, Type: string(e.Type), Body: string(e.Body), CreatedAt: e.CreatedAt,
	}
}

type timelineRow struct {
	PostID ident.Post `json:"post_id"`
	At     time.Time  `json:"at"`
	Kind   string     `json:"kind"`
	Actor  string     `json:"actor"`
	Detail string     `json:"detail"`
	// Revision is set on repeating entries: within this revision, entries with the same detail are one entry.
	Revision *int       `json:"revision"`
	NextAt   *time.Time `json:"next_at"`
	Count    int        `json:"-"`
	LastAt   time.Time  `json:"-"`
	// PartIndex is that of a part of the post; NULL for the post itself.
	PartIndex *int `json:"-"`
}

func toTimelineRows(c post.Change) []timelineRow {
	rows := make([]timelineRow, len(c.Timeline))
	for i, e := range c.Timeline {
		rows[i] = timelineRow{
			PostID: c.Post.ID, At: e.At, Kind: string(e.Kind), Actor: string(e.Actor), Detail: e.Detail,
			NextAt: optional(e.NextAt),
		}
		if e.Repeats {
			rows[i].Revision = &c.Post.Revision
		}
	}
	return rows
}

// optional returns nil for the zero value, which is NULL in the table.
func optional[T comparable](v T) *T {
	var zero T
	if v == zero {
		return nil
	}
	return &v
}

func value[T any](p *T) T {
	if p == nil {
		var zero T
		return zero
	}
	return *p
}

func ptr[T any](v T) *T { return &v }

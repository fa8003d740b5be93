package postgres

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/kernel/ident"
)

// PostFilter narrows and sorts List; zero fields do not filter.
type PostFilter struct {
	Statuses      []post.Status   // any of them
	ChannelIDs    []ident.Channel // any of them
	ScheduledFrom time.Time       // inclusive; posts without a time are left out
	ScheduledTo   time.Time       // exclusive; posts without a time are left out
	UpdatedSince  time.Time       // inclusive
	PublishedFrom time.Time       // inclusive; posts that were not published are left out
	PublishedTo   time.Time       // exclusive; posts that were not published are left out
	Labels        []string        // any of them, in either case
	GroupID       ident.Group     // the set of the posts
	AuthorID      ident.User      // the person who wrote them
	CampaignID    ident.Campaign
	ExternalID    string
	Search        post.Search
	Sort          post.Sort     // empty: newest first
	After         post.Position // the page starts after it; zero starts at the first post
	Limit         int
}

const (
	// MaxPage is the maximum Limit of a PostFilter.
	MaxPage = 101
	// MaxPeriod is the same for the posts of a period in the order of their times.
	MaxPeriod = 2001
)

// List returns a page of posts in the order of the filter.
func (s *Posts) List(ctx context.Context, workspace ident.Workspace, filter PostFilter) ([]post.Post, error) {
	if s.only != nil {
		if len(filter.ChannelIDs) == 0 {
			filter.ChannelIDs = s.only
		} else {
			filter.ChannelIDs = slices.DeleteFunc(slices.Clone(filter.ChannelIDs), func(id ident.Channel) bool {
				return !slices.Contains(s.only, id)
			})
		}
		if len(filter.ChannelIDs) == 0 {
			return nil, nil
		}
	}
	text, params := listStatement(workspace, filter)
	known, ok := s.lists.Load(text)
	if !ok {
		known, _ = s.lists.LoadOrStore(text, compile(text))
	}
	list, _ := known.(statement)
	rows, err := s.db.query(ctx, list, params)
	posts, err := scanPosts(rows, err, filter.Limit)
	if err != nil {
		return nil, err
	}
	return posts, s.withParts(ctx, posts)
}

// listStatement returns the statement of a list. Each shape of a filter gets its own statement, because statements are
// planned without their parameters.
func listStatement(workspace ident.Workspace, f PostFilter) (text string, params map[string]any) {
	params = map[string]any{
		"workspace": workspace, "statuses": toArray(f.anyStatus()), "channels": idArray(f.ChannelIDs),
		"from": f.ScheduledFrom, "to": f.ScheduledTo, "since": f.UpdatedSince, "published_from": f.PublishedFrom,
		"published_to": f.PublishedTo, "at": f.After.At, "id": f.After.ID, "limit": f.Limit,
	}
	if len(f.Statuses) == 1 {
		params["status"] = string(f.Statuses[0])
	}
	if len(f.ChannelIDs) == 1 {
		params["channel"] = f.ChannelIDs[0]
	}
	f.words().into(params)
	if !f.GroupID.IsZero() {
		params["group"] = f.GroupID
	}
	if !f.AuthorID.IsZero() {
		params["author"] = f.AuthorID
	}
	if !f.CampaignID.IsZero() {
		params["campaign"] = f.CampaignID
	}
	if f.ExternalID != "" {
		params["external_id"] = f.ExternalID
	}
	switch rest := f.rest(); {
	case f.few():
		return `SELECT ` + postListed + ` FROM (` + f.fitting(rest) + `) AS post ORDER BY ` + f.order() + ` LIMIT @limit`, params
	case len(rest) > 0:
		return f.selective(rest), params
	default:
		return `SELECT ` + postListed + ` FROM (` + f.ordered(f.size()) + `) AS post LIMIT @limit`, params
	}
}

// words returns what the list looks for in the index of words.
func (f PostFilter) words() lookup {
	return inPosts(f.Search, post.LabelKeys(f.Labels))
}

// size returns the number of rows that a statement reads in the order of an index. It is a number in the text, because
// the planner would take a parameter for a tenth of all posts, and one of three, so that there are few statements.
func (f PostFilter) size() int {
	const usual = 26 // the default of the API, and one more
	switch {
	case f.Limit <= usual:
		return usual
	case f.Limit <= MaxPage:
		return MaxPage
	default:
		return MaxPeriod
	}
}

// ordered returns the query for the first n posts in the order of an index, with all conditions but those of rest.
func (f PostFilter) ordered(n int) string {
	if !f.Sort.ByScheduledAt() {
		return f.timed(n)
	}
	untimed := !f.After.ID.IsZero() && f.After.At.IsZero()
	switch {
	case f.ranged():
		return f.timed(n)
	case untimed:
		return f.untimed(n)
	default: // one statement, so that a post that is given a time in between is not in both parts
		return `SELECT * FROM ((` + f.timed(n) + `) UNION ALL (` + f.untimed(n) + `)) AS page ORDER BY ` +
			f.order() + ` LIMIT ` + strconv.Itoa(n)
	}
}

// The bounds of times and identifiers in an index.
const (
	lowest  = `'-infinity', '00000000-0000-0000-0000-000000000000'`
	highest = `'infinity', 'ffffffff-ffff-ffff-ffff-ffffffffffff'`
	// nilID is the lowest identifier.
	nilID = `'00000000-0000-0000-0000-000000000000'`
)

// timed returns the query for posts with a time in the column of the order. It reads the next n posts of an index after the
// beginning of the list, and drops those behind its end: an index scan does not end at a row of values, but at its first column
// only. The beginning is a row of all columns of one index. Only this index has that order and that beginning, so that its use
// does not depend on statistics. With conditions per column, another index and a sort look cheap while the statistics of the
// workspace are missing or old.
func (f PostFilter) timed(n int) string {
	p := f.prefix()
	after, before := `>=`, `<=`
	first, last := lowest, highest
	switch {
	case f.Sort.ByScheduledAt() && !f.ScheduledFrom.IsZero():
		first = `@from, ` + nilID
	case f.Sort.ByUpdatedAt() && !f.UpdatedSince.IsZero():
		first = `@since, ` + nilID
	}
	if f.Sort.ByScheduledAt() && !f.ScheduledTo.IsZero() {
		before, last = `<`, `@to, `+nilID
	}
	switch {
	case f.After.ID.IsZero():
	case f.Sort.Descending():
		before, last = `<`, `@at, @id`
	default:
		after, first = `>`, `@at, @id`
	}
	begin, end := after+` (`+p.values+`, `+first+`)`, before+` (`+last+`)`
	if f.Sort.Descending() {
		begin, end = before+` (`+p.values+`, `+last+`)`, after+` (`+first+`)`
	}
	// The planner derives these bounds from the rows for every index that begins with the workspace, and then finds it cheaper to
	// sort one of a small table. Written out, they count for this index too.
	const within = `workspace_id >= @workspace AND workspace_id <= @workspace AND `
	key := f.column() + `, id) `
	return f.page(p, within+`(`+p.columns+`, `+key+begin, `(`+p.columns+`) = (`+p.values+`) AND (`+key+end, n)
}

// untimed returns the query for posts without a publish time.
func (f PostFilter) untimed(n int) string {
	p := f.prefix()
	conditions := `(` + p.columns + `) = (` + p.values + `) AND scheduled_at IS NULL`
	switch {
	case f.After.ID.IsZero() || !f.After.At.IsZero():
	case f.Sort.Descending():
		conditions += ` AND id < @id`
	default:
		conditions += ` AND id > @id`
	}
	return f.page(p, conditions, `true`, n)
}

// prefix has the columns before the time in the index of a list.
type prefix struct {
	columns, values string
	// sources are the lists of values, if there are several: the list is then merged from one page of each.
	sources []string
}

// The lists of values of a filter.
const (
	eachChannel = `unnest(CAST(@channels AS uuid[])) AS each_channel(of)`
	eachStatus  = `unnest(CAST(@statuses AS text[])) AS each_status(of)`
)

func (f PostFilter) prefix() prefix {
	p := prefix{columns: `workspace_id`, values: `@workspace`}
	switch {
	case f.Sort.ByUpdatedAt() || len(f.ChannelIDs) == 0 && len(f.Statuses) == 0:
		return p
	case len(f.ChannelIDs) == 1:
		p.columns, p.values = p.columns+`, channel_id`, p.values+`, @channel`
	case len(f.ChannelIDs) > 1:
		p.columns, p.values = p.columns+`, channel_id`, p.values+`, each_channel.of`
		p.sources = append(p.sources, eachChannel)
	}
	p.columns += `, status`
	if len(f.Statuses) == 1 {
		p.values += `, @status`
		return p
	}
	p.values += `, each_status.of` // all of them, if the filter names none
	p.sources = append(p.sources, eachStatus)
	return p
}

// anyStatus returns the states that the filter keeps.
func (f PostFilter) anyStatus() []post.Status {
	if len(f.Statuses) == 0 {
		return post.Statuses()
	}
	return f.Statuses
}

// ownPosts leaves out the parts of posts, which clients see in their root.
const ownPosts = `root_id IS NULL`

// page returns the query for the first n posts that meet the conditions, in the order of an index, as far as they meet the
// condition of its end.
func (f PostFilter) page(p prefix, conditions, end string, n int) string {
	by := p.columns + `, ` + f.column() + `, id`
	one := `SELECT * FROM (SELECT * FROM post WHERE ` + conditions + ` AND ` + ownPosts + ` ORDER BY ` +
		strings.ReplaceAll(by, `,`, f.direction()+`,`) + f.direction() + ` LIMIT ` + strconv.Itoa(n) + `) AS next WHERE ` + end
	if len(p.sources) == 0 {
		return one
	}
	return `SELECT page.* FROM ` + strings.Join(p.sources, ` CROSS JOIN `) + ` CROSS JOIN LATERAL (` + one +
		`) AS page ORDER BY ` + f.order() + ` LIMIT ` + strconv.Itoa(n)
}

func (f PostFilter) ranged() bool { return !f.ScheduledFrom.IsZero() || !f.ScheduledTo.IsZero() }

// column returns the column of the order.
func (f PostFilter) column() string {
	switch {
	case f.Sort.ByScheduledAt():
		return "scheduled_at"
	case f.Sort.ByUpdatedAt():
		return "updated_at"
	default:
		return "created_at"
	}
}

func (f PostFilter) direction() string {
	if f.Sort.Descending() {
		return " DESC"
	}
	return " ASC"
}

// order returns the order of the list.
func (f PostFilter) order() string {
	return f.column() + f.direction() + ` NULLS LAST, id` + f.direction()
}

// scanPosts reads up to n posts column by column: for pages of posts, finding the fields by reflection costs more than the
// query.
func scanPosts(rows *sql.Rows, failed error, n int) (posts []post.Post, err error) {
	if failed != nil {
		return nil, classify(failed)
	}
	defer func() { err = errors.Join(err, classify(rows.Close())) }()
	for rows.Next() {
		if posts == nil {
			posts = make([]post.Post, 0, n) // they are large
		}
		var r postRow
		err := rows.Scan(&r.ID, &r.WorkspaceID, &r.ChannelID, &r.AuthorID, &r.Content, &r.Title, &r.ContentType, &r.MediaIDs,
			&r.Status, &r.ScheduledAt, &r.PublishedAt, &r.CreatedAt, &r.UpdatedAt, &r.Revision, &r.PublishingSince, &r.WaitingReason, &r.WaitingUntil,
			&r.PostURL,
			&r.ErrorCode, &r.ErrorMessage, &r.ErrorRetryable, &r.ApprovalStatus, &r.ApprovalComment, &r.ApprovalDecidedAt,
			&r.Options, &r.ArchivedFrom, &r.MediaAltTexts, &r.WaitingTry, &r.WaitingDeadline, &r.OverridesPause,
			&r.Confirmed, &r.GroupID, &r.OwnMembers, &r.Labels, &r.CampaignID, &r.ExternalID, &r.Metadata,
			&r.Consents, &r.Writers, &r.AfterID, &r.AfterDelay, &r.AfterFailure, &r.Parts, &r.PartsState, &r.RootID, &r.PartIndex, &r.PartKind, &r.ChannelType)
		if err != nil {
			return nil, fmt.Errorf("scan post: %w", err)
		}
		posts = append(posts, fromPostRow(r))
	}
	return posts, classify(rows.Err())
}

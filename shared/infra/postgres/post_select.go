package postgres

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"fencepost.internal/shared/domain/post"
)

// A list with conditions that are in no index of its order is read in two ways, in one statement. First it looks at the
// next posts in the order. If these are enough, or are all there are, it ends. Otherwise few posts meet the conditions,
// and it reads all of them by the index of one condition, and sorts them. So neither a common word nor a rare one makes
// it read many posts.

const (
	// inspected is the number of posts of which the first way looks at each one.
	inspected = 1000
	// fewSources and someSources are numbers of lists, of each of which that many, or a quarter, is read.
	fewSources, someSources = 4, 16
)

// rest returns the conditions that the index of the order does not have.
func (f PostFilter) rest() (conditions []string) {
	if f.Sort.ByUpdatedAt() {
		conditions = append(conditions, f.choices()...)
	} else if !f.UpdatedSince.IsZero() {
		conditions = append(conditions, `updated_at >= @since`)
	}
	if !f.Sort.ByScheduledAt() {
		conditions = append(conditions, f.scheduledRange()...)
	}
	if !f.PublishedFrom.IsZero() || !f.PublishedTo.IsZero() {
		conditions = append(conditions, `published_at IS NOT NULL`)
	}
	if !f.AuthorID.IsZero() {
		conditions = append(conditions, `author_id = @author`)
	}
	if !f.CampaignID.IsZero() {
		conditions = append(conditions, `campaign_id = @campaign`)
	}
	if !f.PublishedFrom.IsZero() {
		conditions = append(conditions, `published_at >= @published_from`)
	}
	if !f.PublishedTo.IsZero() {
		conditions = append(conditions, `published_at < @published_to`)
	}
	return append(conditions, f.words().conditions()...)
}

// choices returns the conditions on status and channel.
func (f PostFilter) choices() (conditions []string) {
	if len(f.Statuses) > 0 {
		conditions = append(conditions, `status = ANY(CAST(@statuses AS text[]))`)
	}
	if len(f.ChannelIDs) > 0 {
		conditions = append(conditions, `channel_id = ANY(CAST(@channels AS uuid[]))`)
	}
	return conditions
}

func (f PostFilter) scheduledRange() (conditions []string) {
	if !f.ScheduledFrom.IsZero() {
		conditions = append(conditions, `scheduled_at >= @from`)
	}
	if !f.ScheduledTo.IsZero() {
		conditions = append(conditions, `scheduled_at < @to`)
	}
	return conditions
}

// selective returns the statement of a list with the conditions of rest.
func (f PostFilter) selective(rest []string) string {
	return twoPlans{
		ordered: f.ordered(f.inspected()), inspected: f.inspected(), rest: rest, fitting: f.fitting, columns: postListed, table: "post",
		order: f.order(),
	}.statement()
}

// twoPlans is a statement that reads a list by one of two plans.
type twoPlans struct {
	ordered   string // the query for the next rows in the order
	inspected int    // their number
	rest      []string
	fitting   func(rest []string) string // returns the query for all rows that meet the conditions
	columns   string
	table     string
	order     string
}

func (w twoPlans) statement() string {
	enough := `((SELECT count(*) FROM found) >= @limit OR (SELECT count(*) FROM near) < ` + strconv.Itoa(w.inspected) + `)`
	return `WITH near AS MATERIALIZED (` + w.ordered + `), found AS MATERIALIZED (
		SELECT * FROM near WHERE ` + strings.Join(w.rest, ` AND `) + ` LIMIT @limit
	) SELECT ` + w.columns + ` FROM (
		SELECT * FROM found WHERE ` + enough + `
		UNION ALL ` + w.fitting(append(slices.Clip(w.rest), `NOT `+enough)) + `
	) AS ` + w.table + ` ORDER BY ` + w.order + ` LIMIT @limit`
}

// few reports whether the filter names the few posts of a set or of another system.
func (f PostFilter) few() bool { return !f.GroupID.IsZero() || f.ExternalID != "" }

// period is the time of creation in the index of texts, in units of 48 days (migration 00058).
const period = `CAST(extract(epoch FROM created_at AT TIME ZONE 'UTC') AS bigint) >> 22`

// fitting returns the query for the candidates that meet all conditions of the filter and follow its position. In the order of
// creation, those of a search are read period by period, twice as many each time, until there is a page: many posts have a
// common word.
func (f PostFilter) fitting(rest []string) string {
	if f.few() || !f.words().indexed() || f.Sort.ByScheduledAt() || f.Sort.ByUpdatedAt() {
		return f.candidatesWith(rest)
	}
	opposite, end, sign := f, `min`, `+`
	opposite.After, opposite.Sort, opposite.Statuses, opposite.ChannelIDs = post.Position{}, post.NewestFirst, nil, nil
	if f.Sort.Descending() {
		opposite.Sort, end, sign = post.OldestFirst, `max`, `-`
	}
	return `(SELECT page.* FROM (
			SELECT (SELECT ` + end + `(` + period + `) FROM near) AS first, ` + period + ` AS last FROM (` + opposite.timed(1) + `) AS opposite
		) AS ends CROSS JOIN LATERAL generate_series(0, CAST(ceil(log(2, 1 + abs(last - first))) AS integer)) AS step(of)
		CROSS JOIN LATERAL (
			SELECT array_agg(first ` + sign + ` n) AS of FROM generate_series((1 << step.of) - 1, (2 << step.of) - 2) AS n
		) AS periods CROSS JOIN LATERAL (` +
		f.candidatesWith(rest, `ARRAY[`+period+`] && periods.of`) + ` ORDER BY ` + f.order() + ` LIMIT @limit
		) AS page LIMIT @limit)`
}

// candidatesWith returns the query for the candidates that meet all conditions of the filter and follow its position. The
// indexed conditions are for the index of the candidates.
func (f PostFilter) candidatesWith(rest []string, indexed ...string) string {
	all := slices.Concat([]string{`workspace_id = @workspace`, ownPosts}, f.choices(), rest, f.position())
	if f.Sort.ByScheduledAt() {
		all = append(all, f.scheduledRange()...)
	}
	if f.Sort.ByUpdatedAt() && !f.UpdatedSince.IsZero() {
		all = append(all, `updated_at >= @since`)
	}
	if !f.GroupID.IsZero() {
		all = append(all, `COALESCE(group_id, id) = @group`)
	}
	if f.ExternalID != "" {
		all = append(all, `external_id = @external_id`)
	}
	candidates := strings.Join(append([]string{f.candidates()}, indexed...), ` AND `)
	return `SELECT * FROM (` + candidates + ` OFFSET 0) AS candidate WHERE ` + strings.Join(all, ` AND `)
}

// inspected returns the number of posts of the first way. If it reads several lists, it reads that many of each.
func (f PostFilter) inspected() int {
	p := f.prefix()
	lists := 1
	if slices.Contains(p.sources, eachChannel) {
		lists *= len(f.ChannelIDs)
	}
	if slices.Contains(p.sources, eachStatus) {
		lists *= len(f.anyStatus())
	}
	switch {
	case lists <= fewSources:
		return inspected
	case lists <= someSources:
		return inspected / fewSources
	default:
		return MaxPage
	}
}

// position returns the condition that a post follows the position of the page.
func (f PostFilter) position() []string {
	sign := map[bool]string{true: `<`, false: `>`}[f.Sort.Descending()]
	follows := `(` + f.column() + `, id) ` + sign + ` (@at, @id)`
	switch {
	case f.After.ID.IsZero():
		return nil
	case !f.Sort.ByScheduledAt():
		return []string{follows}
	case f.After.At.IsZero():
		return []string{`scheduled_at IS NULL`, `id ` + sign + ` @id`}
	default:
		return []string{`(` + follows + ` OR scheduled_at IS NULL)`}
	}
}

// candidates returns the query for posts that meet one of the conditions, by its index: the one that most likely leaves
// the fewest posts.
func (f PostFilter) candidates() string {
	const all = `SELECT * FROM post WHERE `
	switch {
	case f.ExternalID != "":
		return all + `workspace_id = @workspace AND external_id = @external_id`
	case !f.GroupID.IsZero(): // the group of a post that was created alone is its id
		return all + `workspace_id = @workspace AND group_id = @group UNION ALL ` + all + `id = @group AND group_id IS NULL`
	case f.words().indexed():
		return all + f.words().index()
	case !f.CampaignID.IsZero():
		return all + `workspace_id = @workspace AND campaign_id = @campaign`
	case !f.AuthorID.IsZero():
		return all + `workspace_id = @workspace AND author_id = @author`
	case !f.PublishedFrom.IsZero() || !f.PublishedTo.IsZero():
		return `SELECT post.* FROM channel, LATERAL (` + all + span(`channel_id`, `channel.id`, `published_at`,
			f.PublishedFrom, `@published_from`, f.PublishedTo, `@published_to`) + ` AND published_at IS NOT NULL OFFSET 0) AS post
			WHERE channel.workspace_id = @workspace`
	case !f.UpdatedSince.IsZero() && !f.Sort.ByUpdatedAt():
		return all + span(`workspace_id`, `@workspace`, `updated_at`, f.UpdatedSince, `@since`, time.Time{}, ``)
	case f.ranged():
		return all + span(`workspace_id`, `@workspace`, `scheduled_at`, f.ScheduledFrom, `@from`, f.ScheduledTo, `@to`)
	default: // of the states and channels, in the order of their changes
		unsorted := f
		unsorted.Sort = ""
		p := unsorted.prefix()
		one := all + `(` + p.columns + `) = (` + p.values + `)`
		if len(p.sources) == 0 {
			return one
		}
		return `SELECT post.* FROM ` + strings.Join(p.sources, ` CROSS JOIN `) + ` CROSS JOIN LATERAL (` + one + ` OFFSET 0) AS post`
	}
}

// span returns the condition for a range of times in an index on an owner and a time. The zero time means no bound. The
// owner is compared by itself: the planner estimates a comparison of rows by their first column only, and takes any index
// that begins with the owner.
func span(owner, of, column string, from time.Time, fromParameter string, to time.Time, toParameter string) string {
	condition := owner + ` = ` + of
	if !from.IsZero() {
		condition += ` AND ` + column + ` >= ` + fromParameter
	}
	if !to.IsZero() {
		condition += ` AND ` + column + ` < ` + toParameter
	}
	return condition
}

package apiforms

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"fencepost.internal/services/internal/cursor"
	"fencepost.internal/shared/domain/event"
	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/kernel/ident"
)

// PostSort is a post.Sort.
type PostSort string

// Schema documents the type.
func (PostSort) Schema(r huma.Registry) *huma.Schema {
	ref := Enum(r, "PostSort",
		"Order of a list of posts: by creation, by scheduled time or by last change, descending with a minus. Posts "+
			"without a scheduled time come last in both orders by scheduledAt.", post.Sorts())
	r.Map()["PostSort"].Default = string(post.NewestFirst)
	return ref
}

// PageOfPosts reads a page of the workspace's posts. A cursor is valid only with its own filters and sort; the error is
// INVALID_CURSOR.
func PageOfPosts(
	cursors *cursor.Codec, p Paging, workspace ident.Workspace, filter postgres.PostFilter, read func(postgres.PostFilter) ([]post.Post, error),
) (PostPage, error) {
	filter.Sort = cmp.Or(filter.Sort, post.NewestFirst)
	use := listOfPosts(workspace, filter)
	var after [positionLength]byte
	if err := StartOf(cursors, p, use, after[:]); err != nil {
		return PostPage{}, err
	}
	if p.Cursor != "" {
		filter.After = positionIn(after)
	}
	filter.Limit = p.Limit + 1 // one more entry shows whether there is a next page
	found, err := read(filter)
	if err != nil {
		return PostPage{}, err
	}
	page := PostPage{Data: ToAPIPosts(found[:min(len(found), p.Limit)])}
	if len(found) > p.Limit {
		last := bytesOf(filter.Sort.Position(found[p.Limit-1]))
		page.NextCursor = OptionalText(cursors.Encode(use, last[:]))
	}
	return page, nil
}

// listOfPosts returns the use that binds a cursor to the list, its filters and its sort.
func listOfPosts(workspace ident.Workspace, f postgres.PostFilter) cursor.Use {
	return cursor.Use{
		"posts", workspace.String(), listOf(f.Statuses), listOf(f.ChannelIDs), listOf(post.LabelKeys(f.Labels)),
		f.GroupID.String(), f.CampaignID.String(), f.ExternalID, listOf(f.Search.Words), string(f.Sort),
		event.FormatTime(f.ScheduledFrom), event.FormatTime(f.ScheduledTo),
		event.FormatTime(f.PublishedFrom), event.FormatTime(f.PublishedTo), event.FormatTime(f.UpdatedSince),
	}
}

// listOf returns the values of a filter in one text. Their order makes no difference.
func listOf[T any](values []T) string {
	texts := make([]string, len(values))
	for i, v := range values {
		texts[i] = fmt.Sprintf("%q", fmt.Sprint(v))
	}
	slices.Sort(texts)
	return strings.Join(texts, ",")
}

// positionLength is the length of a post's position in a cursor: its time in microseconds and its id.
const positionLength = 8 + 16

func bytesOf(p post.Position) (position [positionLength]byte) {
	// positionIn reverses it, also for times before 1970
	binary.BigEndian.PutUint64(position[:8], uint64(p.At.UnixMicro()))
	copy(position[8:], p.ID[:])
	return position
}

// positionIn reverses bytesOf. The zero time, which means none, survives the round trip.
func positionIn(position [positionLength]byte) post.Position {
	micros := int64(binary.BigEndian.Uint64(position[:8])) //nolint:gosec // written by bytesOf
	return post.Position{At: time.UnixMicro(micros).UTC(), ID: ident.Post(position[8:])}
}

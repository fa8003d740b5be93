package post_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/kernel/ident"
)

// TestLabelsAreComparedWithoutCase checks what is stored of labels, and what is refused.
func TestLabelsAreComparedWithoutCase(t *testing.T) {
	t.Parallel()
	names, faults := post.ReadLabels([]string{"Spring", "", "spring", strings.Repeat("x", post.LongestLabel+1)}, "/labels")
	require.Len(t, names, 4)
	require.Equal(t, "Spring", names[0])
	var pointers []string
	for _, f := range faults {
		pointers = append(pointers, f.Pointer)
	}
	require.Equal(t, []string{"/labels/1", "/labels/2", "/labels/3"}, pointers)
	require.Contains(t, faults[1].Message, "is the same label as /labels/0")

	require.Equal(t, post.NewLabel("Spring").Color, post.NewLabel("SPRING").Color, "the color follows the name")
	require.Contains(t, post.LabelColors(), post.NewLabel("Sommer").Color)
}

// TestRelabelFollowsLabel checks that a renamed label stays in its place, a merged one is there once, and a deleted one is
// gone, each with an event.
func TestRelabelFollowsLabel(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 28, 12, 0, 0, 0, time.UTC)
	p := post.Post{ID: ident.New[ident.Post](), Status: post.Published, Labels: []string{"Spring", "Sale", "sommer"}}
	for _, c := range []struct {
		key, name string
		want      []string
	}{
		{"spring", "Frühling", []string{"Frühling", "Sale", "sommer"}},
		{"spring", "Sommer", []string{"Sommer", "Sale"}},
		{"sale", "", []string{"Spring", "sommer"}},
	} {
		change, err := p.Relabel(c.key, c.name, now, "user Mara")
		require.NoError(t, err)
		require.Equal(t, c.want, change.Post.Labels)
		require.Equal(t, "post.updated", emitted(change))
		require.True(t, change.Post.UpdatedAt.After(p.UpdatedAt))
	}
}

func TestMetadataFaults(t *testing.T) {
	t.Parallel()
	require.Empty(t, post.Metadata{"campaign": "spring", "a/b~c": "x"}.Faults("/metadata"))
	many := make(post.Metadata)
	for i := range post.MaxMetadata + 1 {
		many[string(rune('a'+i))] = ""
	}
	wide := make(post.Metadata)
	for i := range post.MaxMetadata {
		wide[string(rune('a'+i))] = strings.Repeat("\u2028", post.LongestMetadataValue) // six bytes each in JSON
	}
	for name, c := range map[string]struct {
		of      post.Metadata
		pointer string
		message string
	}{
		"too many":   {many, "/metadata", "at most 20"},
		"no name":    {post.Metadata{"": "x"}, "/metadata/", "empty name"},
		"long name":  {post.Metadata{strings.Repeat("n/", 30): "x"}, "/metadata/" + strings.Repeat("n~1", 30), "at most 40"},
		"long value": {post.Metadata{"v": strings.Repeat("ö", post.LongestMetadataValue+1)}, "/metadata/v", "501 characters"},
		"too large":  {wide, "/metadata", ""},
	} {
		faults := c.of.Faults("/metadata")
		require.NotEmpty(t, faults, name)
		require.Equal(t, c.pointer, faults[0].Pointer, name)
		require.Contains(t, faults[0].Message, c.message, name)
	}
}

// TestSetSharesItsBase checks that a change of the base leaves the members that a post has of its own.
func TestSetSharesItsBase(t *testing.T) {
	t.Parallel()
	text, title, kind := "base", "title", post.ContentReel
	media, texts, options := []ident.Media{ident.New[ident.Media]()}, post.AltTexts{}, post.Options{}
	thread, comment := []post.Part{{Content: "part"}}, post.Comment{Content: "comment"}
	edit := post.Edit{
		Content: &text, Title: &title, ContentType: &kind, MediaIDs: &media, MediaAltTexts: &texts, Options: &options,
		Thread: &thread, Comment: &comment,
	}
	follows := post.Post{ID: ident.New[ident.Post](), GroupID: ident.New[ident.Group]()}
	require.True(t, follows.InSet())
	require.Empty(t, follows.Keeps(edit))
	require.NotNil(t, follows.OfBase(edit).Content)

	differs := follows
	differs.Own = post.Members()
	require.Equal(t, post.Members(), differs.Keeps(edit))
	left := differs.OfBase(edit)
	require.True(t, left.OfBase)
	left.OfBase = false
	require.Equal(t, post.Edit{}, left)

	differs.Status = post.Draft
	change, _, err := differs.Edit(post.Edit{
		Content: &text, Title: &title, Follows: []post.Member{post.MemberContent},
	}, time.Now(), post.Actor(""))
	require.NoError(t, err)
	require.Equal(t, post.Members()[1:], change.Post.Own, "the text follows the base again")

	alone := post.Post{ID: ident.New[ident.Post]()}
	alone.GroupID = ident.Group(alone.ID)
	require.False(t, alone.InSet())
}

// TestSortsHavePositions checks the key of every order.
func TestSortsHavePositions(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 11, 28, 12, 0, 0, 0, time.UTC)
	p := post.Post{
		ID: ident.New[ident.Post](), CreatedAt: at, UpdatedAt: at.Add(time.Hour), ScheduledAt: at.Add(2 * time.Hour),
	}
	descending := 0
	for _, s := range post.Sorts() {
		want := p.CreatedAt
		switch {
		case s.ByScheduledAt():
			want = p.ScheduledAt
		case s.ByUpdatedAt():
			want = p.UpdatedAt
		}
		require.Equal(t, post.Position{At: want, ID: p.ID}, s.Position(p))
		require.Equal(t, strings.HasPrefix(string(s), "-"), s.Descending())
		if s.Descending() {
			descending++
		}
	}
	require.Equal(t, 3, descending)
}

// TestPausedPostIsPublishedByPerson checks that the choice ends with the plan.
func TestPausedPostIsPublishedByPerson(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 28, 12, 0, 0, 0, time.UTC)
	p := post.Post{ID: ident.New[ident.Post](), Status: post.Scheduled, ScheduledAt: now.Add(time.Hour)}
	change, err := p.PublishDespitePause(now, "user Mara")
	require.NoError(t, err)
	require.True(t, change.Post.OverridesPause)
	require.Equal(t, "post.scheduled", emitted(change))
	moved, err := change.Post.Schedule(now.Add(time.Hour), now, "user Mara")
	require.NoError(t, err)
	require.False(t, moved.Post.OverridesPause)

	held := change.Post
	held.Waiting = &post.Waiting{Reason: post.WaitPaused, Until: now.Add(3 * time.Hour)}
	require.Equal(t, held.Waiting.Until, held.DueAt(), "the wait for a person is no delay of the service")
	held.Waiting = nil
	require.Equal(t, held.ScheduledAt, held.DueAt())
}

package apiforms_test

import (
	"os"
	"reflect"
	"regexp"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/services/internal/apiforms"
	"fencepost.internal/services/internal/app"
	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/kernel/ident"
)

func TestTimelineReportsNextCheck(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, time.March, 1, 7, 0, 0, 0, time.UTC)
	last, next := at.Add(time.Hour), at.Add(2*time.Hour)
	require.Equal(t, apiforms.Timeline{Data: []apiforms.TimelineEntry{
		{
			At: apiforms.Timestamp(at), Kind: post.EntryWaiting, Actor: post.ActorService,
			Detail: "Looks. Next check at 2026-03-01T09:00:00.000Z.",
			Count:  36, LastAt: apiforms.Timestamp(last), NextAt: apiforms.OptionalTimestamp(next),
		},
		{
			At: apiforms.Timestamp(at), Kind: post.EntryFailed, Actor: post.ActorService, Detail: "Failed.", Count: 1,
			LastAt: apiforms.Timestamp(at),
		},
	}}, apiforms.ToAPITimeline([]post.Entry{
		{At: at, Kind: post.EntryWaiting, Actor: post.ActorService, Detail: "Looks.", Count: 36, LastAt: last, NextAt: next},
		{At: at, Kind: post.EntryFailed, Actor: post.ActorService, Detail: "Failed.", Count: 1, LastAt: at},
	}))
}

// TestTimelineDocumentsEveryKind compares the documented kinds of entries and actors with those of the domain.
func TestTimelineDocumentsEveryKind(t *testing.T) {
	t.Parallel()
	source, err := os.ReadFile("../../../shared/domain/post/decide.go")
	require.NoError(t, err)
	var kinds []string
	for _, found := range regexp.MustCompile(`EntryKind += "([a-z_]+)"`).FindAllSubmatch(source, -1) {
		kinds = append(kinds, string(found[1]))
	}
	require.Greater(t, len(kinds), 20)
	entry := reflect.TypeFor[apiforms.TimelineEntry]()
	field, _ := entry.FieldByName("Kind")
	list := regexp.MustCompile(`: ([^.]+)\.`).FindStringSubmatch(field.Tag.Get("doc"))
	require.NotNil(t, list)
	require.ElementsMatch(t, kinds, regexp.MustCompile(`, | or `).Split(list[1], -1))

	field, _ = entry.FieldByName("Actor")
	for _, actor := range []post.Actor{
		app.Principal{Person: app.Person{ID: ident.New[ident.User](), Name: "Ann"}}.Actor(),
		app.Principal{Program: "Ann"}.Actor(), app.Principal{}.Actor(), post.ActorService,
	} {
		require.Contains(t, field.Tag.Get("doc"), regexp.MustCompile(`^[a-z]+`).FindString(string(actor)))
	}
}

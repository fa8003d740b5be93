package app_test

import (
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"fencepost.internal/services/internal/app"
	"fencepost.internal/shared/domain/campaign"
	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/infra/postgres/postgrestest"
	"fencepost.internal/shared/kernel/apperr"
	"fencepost.internal/shared/kernel/ident"
)

// TestCampaigns creates posts in a campaign, moves them, and deletes the campaign: its posts stay. That of another workspace
// is refused everywhere.
func TestCampaigns(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ctx := t.Context()
	client := b.tenant(ctx, t)
	p, theirs := b.editor(t, client), b.editor(t, b.tenant(ctx, t))
	color := post.LabelColors()[2]
	spring, err := b.AddCampaign(ctx, p, campaign.Campaign{Name: "Spring", Color: color})
	require.NoError(t, err)
	foreign, err := b.AddCampaign(ctx, theirs, campaign.Campaign{Name: "spring", Color: color})
	require.NoError(t, err)
	for pointer, wrong := range map[string]campaign.Campaign{
		"/name": {Name: "SPRING", Color: color}, "/color": {Name: "Other", Color: "red"},
		"/source": {Name: "Other", Color: color, Links: campaign.Links{Source: "{post}"}},
	} {
		_, err := b.AddCampaign(ctx, p, wrong)
		require.Equal(t, pointer, apperr.FieldsOf(err)[0].Pointer, err)
	}

	of := b.channel(ctx, t, p, "UTC")
	in := app.CreatePosts{ChannelIDs: []ident.Channel{of.ID}, Content: "a", ContentType: post.ContentPost, CampaignID: foreign.ID}
	_, err = b.CreatePosts(ctx, p, in)
	require.True(t, apperr.Is(err, apperr.NotFound))
	in.CampaignID = spring.ID
	created, err := b.CreatePosts(ctx, p, in)
	require.NoError(t, err)
	one := created[0]
	in.CampaignID = ident.Campaign{}
	created, err = b.CreatePosts(ctx, p, in)
	require.NoError(t, err)
	other := created[0]

	_, err = b.EditPost(ctx, p, other.ID, func(post.Post) (post.Edit, error) { return post.Edit{CampaignID: &foreign.ID}, nil })
	require.True(t, apperr.Is(err, apperr.NotFound))
	_, err = b.ActOnPosts(ctx, p, []ident.Post{other.ID}, app.PostsAction{Campaign: &foreign.ID})
	require.True(t, apperr.Is(err, apperr.NotFound))
	results, err := b.ActOnPosts(ctx, p, []ident.Post{one.ID, other.ID}, app.PostsAction{Campaign: &spring.ID})
	require.NoError(t, err)
	require.False(t, results[0].Changed)
	require.True(t, results[1].Changed)
	for _, sort := range post.Sorts() {
		for _, statuses := range [][]post.Status{nil, {post.Draft}, {post.Published}} {
			found, err := b.Posts(ctx, p, postgres.PostFilter{CampaignID: spring.ID, Statuses: statuses, Sort: sort, Limit: 10})
			require.NoError(t, err)
			require.Len(t, found, map[bool]int{true: 0, false: 2}[len(statuses) == 1 && statuses[0] == post.Published], sort)
		}
	}
	copies, err := b.DuplicatePosts(ctx, p, []ident.Post{one.ID})
	require.NoError(t, err)
	require.Equal(t, spring.ID, copies[0].After.CampaignID)
	counts, err := b.CampaignStates(ctx, p)
	require.NoError(t, err)
	require.Equal(t, map[ident.Campaign]map[post.Status]int{spring.ID: {post.Draft: 3}}, counts)

	require.True(t, apperr.Is(b.DeleteCampaign(ctx, p, foreign.ID), apperr.NotFound))
	require.NoError(t, b.DeleteCampaign(ctx, p, spring.ID))
	after, err := b.Post(ctx, p, one.ID)
	require.NoError(t, err)
	require.True(t, after.CampaignID.IsZero())
	require.True(t, after.UpdatedAt.After(one.UpdatedAt))
}

// TestShortLinksOfTexts shortens the links of texts: the same one gets the same address again, each channel gets its own, and
// clicks belong to the workspace.
func TestShortLinksOfTexts(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ctx := t.Context()
	p, theirs := b.editor(t, b.tenant(ctx, t)), b.editor(t, b.tenant(ctx, t))
	scratch, one, two := ident.New[ident.Scratch](), ident.New[ident.Channel](), ident.New[ident.Channel]()
	const text = "Read (https://example.com/a?utm_source=x), https://müller.example/ä and ftp://example.com http://user:pw@example.com https://example.com/a?utm_source=x."
	first, err := b.ShortenLinks(ctx, p, scratch, one, text)
	require.NoError(t, err)
	require.Len(t, first, 2)
	require.Equal(t, "https://example.com/a?utm_source=x", first[0].From)
	require.Equal(t, "https://müller.example/ä", first[1].From)
	again, err := b.ShortenLinks(ctx, p, scratch, one, text)
	require.NoError(t, err)
	require.Equal(t, first, again)
	apart, err := b.ShortenLinks(ctx, p, scratch, two, text)
	require.NoError(t, err)
	require.NotEqual(t, first[0].To, apart[0].To)
	short := strings.NewReplacer(first[0].From, first[0].To, first[1].From, first[1].To).Replace(text)
	none, err := b.ShortenLinks(ctx, p, scratch, one, short)
	require.NoError(t, err)
	require.Empty(t, none, "short links stay")

	parsed, err := url.Parse(first[1].To)
	require.NoError(t, err)
	code := strings.TrimPrefix(parsed.Path, "/s/")
	target, err := postgres.NewShortLinks(b.db).Target(ctx, code)
	require.NoError(t, err)
	require.Equal(t, "https://xn--mller-kva.example/%C3%A4", target)
	postgrestest.Exec(t, b.address, `UPDATE short_link SET clicks = 7 WHERE code = $1`, code)
	clicks, err := b.LinkClicks(ctx, p, short, "nothing here")
	require.NoError(t, err)
	require.Equal(t, []int64{0, 7}, []int64{clicks[0].Clicks, clicks[1].Clicks})
	foreign, err := b.LinkClicks(ctx, theirs, short)
	require.NoError(t, err)
	require.Empty(t, foreign)

	rule, err := b.LinksIn(ctx, p, ident.Campaign{})
	require.NoError(t, err)
	require.Contains(t, rule.Except, parsed.Hostname())
	own, err := b.AddCampaign(ctx, p, campaign.Campaign{Name: "Own", Color: post.LabelColors()[0], Links: campaign.Links{Source: "{network}", Content: "tile"}})
	require.NoError(t, err)
	rule, err = b.LinksIn(ctx, p, own.ID)
	require.NoError(t, err)
	require.Equal(t, "{network}", rule.Source)
	require.Equal(t, "tile", rule.Content)
	_, err = b.LinksIn(ctx, theirs, own.ID)
	require.True(t, apperr.Is(err, apperr.NotFound))
}

package platform_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/analytics"
	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/media"
	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/platform"
)

// reader is a link that only reads: a network that this build cannot publish to.
type reader struct{ types []channel.Type }

func (r reader) Types() []channel.Type { return r.types }

func (reader) Refresh(context.Context, platform.Account) (channel.Credentials, error) {
	return channel.Credentials{}, nil
}

func (reader) Term(platform.Account) platform.Term { return platform.Term{} }

func (reader) Identify(context.Context, platform.Account) (platform.Identity, error) {
	return platform.Identity{}, nil
}

func (reader) Boards(context.Context, platform.Account) ([]platform.Board, error) { return nil, nil }

func (reader) BoardSections(context.Context, platform.Account, string) ([]platform.BoardSection, error) {
	return nil, nil
}

// teller is a link that reports figures.
type teller struct{ reader }

func (teller) AccountInsights(
	context.Context, platform.Account, analytics.Date, analytics.Date,
) ([]analytics.ChannelDay, error) {
	return nil, nil
}

func (teller) PostInsights(context.Context, platform.Account, []string) (map[string]analytics.PostFigures, error) {
	return nil, nil
}

// publisher is a complete connector.
type publisher struct{ reader }

func (publisher) Prepare(
	context.Context, platform.Account, platform.Content, platform.Handle,
) (platform.Preparation, error) {
	return platform.Preparation{Ready: true}, nil
}

func (publisher) Commit(
	context.Context, platform.Account, platform.Content, platform.Handle,
) (platform.Publication, error) {
	return platform.Publication{}, nil
}

func (publisher) Reconcile(
	context.Context, platform.Account, platform.Content, platform.Sent,
) (platform.Evidence, platform.Publication, error) {
	return platform.EvidenceUnclear, platform.Publication{}, nil
}

func (publisher) Strength() platform.ReconcileStrength { return platform.ReconcileNone }

func links(types ...channel.Type) reader { return reader{types: types} }

func setup(t *testing.T) *platform.Registry {
	t.Helper()
	r, err := platform.NewRegistry(
		publisher{links(channel.LinkedInProfile, channel.LinkedInPage)}, publisher{links(channel.Twitter)},
		links(channel.Pinterest),
	)
	require.NoError(t, err)
	return r
}

func TestLinkCapabilities(t *testing.T) {
	t.Parallel()
	r := setup(t)
	for typ, want := range map[channel.Type]struct{ linked, publishes, lists bool }{
		channel.Twitter:          {true, true, true},
		channel.LinkedInPage:     {true, true, true},
		channel.Pinterest:        {true, false, true},
		channel.YouTube:          {},
		channel.Type("NEW_TYPE"): {},
	} {
		link, linked := r.Link(channel.Channel{Type: typ})
		require.Equal(t, want.linked, linked, "%s", typ)
		connector, publishes := r.For(channel.Channel{Type: typ})
		require.Equal(t, want.publishes, publishes, "%s", typ)
		require.Equal(t, want.publishes, connector != nil, "%s", typ)
		_, lists := link.(platform.BoardLister)
		require.Equal(t, want.lists, lists, "%s", typ)
	}
}

func TestLinkMayReportFigures(t *testing.T) {
	t.Parallel()
	r, err := platform.NewRegistry(teller{links(channel.YouTube, channel.LinkedInPage)}, links(channel.Twitter))
	require.NoError(t, err)
	require.Equal(t, []channel.Type{channel.LinkedInPage, channel.YouTube}, r.Insightful())
	for typ, want := range map[channel.Type]bool{
		channel.YouTube: true, channel.LinkedInPage: true, channel.Twitter: false, channel.Threads: false,
		channel.Type("NEW_TYPE"): false,
	} {
		insighter, found := r.Insighter(channel.Channel{Type: typ})
		require.Equal(t, want, found, "%s", typ)
		require.Equal(t, want, insighter != nil, "%s", typ)
	}
	require.Empty(t, setup(t).Insightful())
}

func TestNetworksListsPublishingNetworks(t *testing.T) {
	t.Parallel()
	require.ElementsMatch(t, []channel.Network{channel.NetworkX, channel.NetworkLinkedIn}, setup(t).Networks())
	empty, err := platform.NewRegistry()
	require.NoError(t, err)
	require.Empty(t, empty.Networks())
}

func TestDuplicateLinksAreRefused(t *testing.T) {
	t.Parallel()
	_, err := platform.NewRegistry(links(channel.Twitter, channel.Threads), links(channel.Threads))
	require.ErrorContains(t, err, "THREADS")
}

func TestGapsReportUnsupportedContent(t *testing.T) {
	t.Parallel()
	r := setup(t)
	text := platform.Content{Text: "Hello"}
	picture := platform.Content{Text: "Hello", Media: []media.Asset{{Type: media.Image}}}
	options := platform.Content{Text: "Hello", Options: post.Options{Visibility: "PUBLIC"}}
	for name, c := range map[string]struct {
		typ     channel.Type
		content platform.Content
		member  string // empty: no gap
	}{
		"text":                   {channel.Twitter, text, ""},
		"options":                {channel.LinkedInPage, options, ""},
		"a picture":              {channel.Twitter, picture, "mediaIds"},
		"text to a mere reader":  {channel.Pinterest, text, "channelIds"},
		"media to a mere reader": {channel.Pinterest, picture, "channelIds"},
		"no link":                {channel.YouTube, text, "channelIds"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			gaps := r.Gaps(channel.Channel{Type: c.typ}, c.content)
			if c.member == "" {
				require.Empty(t, gaps)
				return
			}
			require.Len(t, gaps, 1)
			require.Equal(t, c.member, gaps[0].Member)
			require.False(t, gaps[0].Warning, "it is an error")
			require.Contains(t, gaps[0].Message, "draft", "it says what can be done")
		})
	}
}

package main

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/kernel/clock"
	"fencepost.internal/shared/platform"
	"fencepost.internal/shared/platform/connectors"
	"fencepost.internal/shared/platform/connectors/pinterest"
	"fencepost.internal/shared/platform/connectors/tiktok"
	"fencepost.internal/shared/platform/platformtest"
)

// reader returns an account of a network that uses the sandbox's usual token format.
func reader(kind channel.Type, name string) platform.Account {
	account := connectors.Of(kind.Network()).SandboxAccount(kind, name)
	return platform.Account{Type: kind, ExternalID: account.ID, Username: name, Credentials: account.Credentials}
}

func newPinterest(t *testing.T, config connectors.Config) platform.Link {
	t.Helper()
	link, err := pinterest.New(pinterest.Config{Wire: config, AppID: "1478593", AppSecret: "secret"})
	require.NoError(t, err)
	return link
}

func newPersonal(t *testing.T, config connectors.Config) platform.Link {
	t.Helper()
	link, err := tiktok.NewPersonal(tiktok.PersonalConfig{Wire: config, ClientKey: "key", ClientSecret: "secret"})
	require.NoError(t, err)
	return link
}

func newBusiness(t *testing.T, config connectors.Config) platform.Link {
	t.Helper()
	link, err := tiktok.NewBusiness(tiktok.BusinessConfig{Wire: config, AppID: "7123", Secret: "secret"})
	require.NoError(t, err)
	return link
}

var errNotAReader = errors.New("the link does not read that")

func readBoards(ctx context.Context, link platform.Link, account platform.Account) error {
	lister, ok := link.(platform.BoardLister)
	if !ok {
		return errNotAReader
	}
	_, err := lister.Boards(ctx, account)
	return err
}

func readCreator(ctx context.Context, link platform.Link, account platform.Account) error {
	informer, ok := link.(platform.CreatorInformer)
	if !ok {
		return errNotAReader
	}
	_, err := informer.CreatorInfo(ctx, account)
	return err
}

func TestPinterestLink(t *testing.T) {
	t.Parallel()

	platformtest.RunLink(t, platformtest.LinkHarness{
		Network: channel.NetworkPinterest, Sandbox: start(t, t.TempDir()), Prefix: "/pinterest", Link: newPinterest,
		Account: func(name string) platform.Account { return reader(channel.Pinterest, name) }, Read: readBoards,
	})
}

func TestTikTokPersonalLink(t *testing.T) {
	t.Parallel()

	platformtest.RunLink(t, platformtest.LinkHarness{
		Network: channel.NetworkTikTok, Sandbox: start(t, t.TempDir()), Prefix: "/tiktok", Link: newPersonal,
		Account: func(name string) platform.Account { return reader(channel.TikTokPersonal, name) }, Read: readCreator,
	})
}

func TestTikTokBusinessLink(t *testing.T) {
	t.Parallel()

	platformtest.RunLink(t, platformtest.LinkHarness{
		Network: channel.NetworkTikTok, Sandbox: start(t, t.TempDir()), Prefix: "/tiktok-business", Link: newBusiness,
		Account: func(name string) platform.Account { return reader(channel.TikTokBusiness, name) }, Read: readCreator,
	})
}

func TestBoardsOfSandbox(t *testing.T) {
	t.Parallel()

	sandbox := start(t, t.TempDir())
	lister, ok := newPinterest(t, connectors.Config{
		BaseURL: sandbox.URL + "/pinterest", Clock: clock.System(),
	}).(platform.BoardLister)
	require.True(t, ok)
	list := func(account string) []platform.Board {
		boards, err := lister.Boards(t.Context(), reader(channel.Pinterest, account))
		require.NoError(t, err)
		return boards
	}
	require.Empty(t, list("acme-noboards"))
	require.Len(t, list("acme-manyboards"), 300, "two pages")

	var names []string
	privacies := make(map[string]int)
	for _, board := range list("acme") {
		names = append(names, board.Name)
		privacies[board.Privacy]++
	}
	require.Equal(t, []string{
		"New arrivals", "Behind the scenes & more", "Next season", "Product tags", "Partners’ picks",
	}, names)
	require.Equal(t, map[string]int{"PUBLIC": 3, "SECRET": 1, "PROTECTED": 1}, privacies)
	first, again, other := list("acme"), list("acme"), list("initech")
	require.Equal(t, first, again, "always the same")
	require.NotEqual(t, first[0].ID, other[0].ID)
}

func TestCreatorsOfSandbox(t *testing.T) {
	t.Parallel()

	sandbox := start(t, t.TempDir())
	config := func(prefix string) connectors.Config {
		return connectors.Config{BaseURL: sandbox.URL + prefix, Clock: clock.System()}
	}
	for kind, link := range map[channel.Type]platform.Link{
		channel.TikTokPersonal: newPersonal(t, config("/tiktok")),
		channel.TikTokBusiness: newBusiness(t, config("/tiktok-business")),
	} {
		informer, ok := link.(platform.CreatorInformer)
		require.True(t, ok)
		read := func(account string) platform.CreatorInfo {
			info, err := informer.CreatorInfo(t.Context(), reader(kind, account))
			require.NoError(t, err)
			return info
		}
		require.Equal(t, platform.CreatorInfo{
			Nickname: "acme", AvatarURL: sandbox.URL + "/avatars/acme", MaxVideoDurationSec: 600,
			PrivacyLevelOptions: []string{"PUBLIC_TO_EVERYONE", "MUTUAL_FOLLOW_FRIENDS", "SELF_ONLY"},
		}, read("acme"))

		settings, err := tiktok.Settings(post.Options{}, read("acme-nocomment"))
		require.NoError(t, err)
		require.True(t, settings.DisableComment)
		_, err = tiktok.Settings(post.Options{}, read("acme-private"))
		require.Equal(t, tiktok.CodePrivateAccount, platformtest.Failure(t, err).Code)
	}

	informer, ok := newPersonal(t, config("/tiktok")).(platform.CreatorInformer)
	require.True(t, ok)
	_, err := informer.CreatorInfo(t.Context(), reader(channel.TikTokPersonal, "acme-banned"))
	require.Equal(t, platform.ClassUser, platformtest.Failure(t, err).Class, "HTTP 200 may carry a failure")
}

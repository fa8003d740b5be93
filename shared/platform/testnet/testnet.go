// Package testnet connects test channels to a network that exists only in the service's database: it accepts, refuses,
// delays and loses posts by script (docs/contract.md, Test mode). It makes no network calls. What differs between the
// networks, such as the strength of reconciling, is that of the live link whose place it takes.
package testnet

import (
	"context"
	"errors"
	"strings"
	"time"

	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/kernel/clock"
	"fencepost.internal/shared/kernel/ident"
	"fencepost.internal/shared/platform"
)

// Memory stores what the test network knows, so that a restart of the service loses nothing.
type Memory interface {
	// Prepare stores a prepared post and returns it.
	Prepare(ctx context.Context, id ident.Post, script string) (post.TestPost, error)
	// Post returns a post by its ID; NOT_FOUND if there is none.
	Post(ctx context.Context, id string) (post.TestPost, error)
	// Accepted returns the post that the network accepted for a post of the service; NOT_FOUND if there is none.
	Accepted(ctx context.Context, id ident.Post) (post.TestPost, error)
	// Call counts an irrevocable call, and returns the post with it; NOT_FOUND if there is none.
	Call(ctx context.Context, id string) (post.TestPost, error)
	// Accept records that the network has the post, and returns it. A positive time requests a collection of the
	// channel's figures after it.
	Accept(ctx context.Context, id string, collectAfter time.Duration) (post.TestPost, error)
}

// Config holds the dependencies of the links.
type Config struct {
	Memory Memory
	Clock  clock.Clock
	// Scale is a factor applied to the times of scripts; 1 in production.
	Scale float64
	// PostURL returns the address of the page that shows the post; empty if there is none.
	PostURL func(workspace ident.Workspace, id ident.Post) string
}

// Times of scripts.
const (
	pause        = 10 * time.Second // of slow, processing, rate_limited and reviews
	poll         = 2 * time.Second  // between two looks at an upload that is processed
	removedAfter = 30 * time.Second
)

func (c Config) scaled(d time.Duration) time.Duration { return time.Duration(float64(d) * c.Scale) }

// Links returns a function that returns the test link for a live one. It has the capabilities of the live link, of which
// it calls only methods that make no calls.
func Links(cfg Config) (func(live platform.Link) platform.Link, error) {
	if cfg.Memory == nil || cfg.Clock == nil || cfg.Scale <= 0 || cfg.PostURL == nil {
		return nil, errors.New("testnet: every dependency is required, and Scale must be positive")
	}
	return func(live platform.Link) platform.Link {
		network := link{Config: cfg, live: live}
		connector, publishes := live.(platform.Connector)
		if !publishes {
			return network
		}
		publishing := publisher{link: network, connector: connector}
		switch live := live.(type) {
		case platform.BoardLister:
			return boardLister{publishing}
		case platform.CreatorInformer:
			return creatorInformer{publishing}
		case platform.LiveChanger:
			return liveChanger{publishing, live}
		default:
			return publishing
		}
	}, nil
}

// link implements platform.Link.
type link struct {
	Config

	live platform.Link
}

func (l link) Types() []channel.Type { return l.live.Types() }

// Refresh returns credentials that differ from the former ones in nothing but the time.
func (l link) Refresh(context.Context, platform.Account) (channel.Credentials, error) {
	return channel.Credentials{IssuedAt: l.Clock.Now()}, nil
}

// Term returns the zero Term: a test connection works until a script ends it.
func (link) Term(platform.Account) platform.Term { return platform.Term{} }

func (link) Identify(_ context.Context, a platform.Account) (platform.Identity, error) {
	return platform.Identity{ID: a.ExternalID, Username: a.Username}, nil
}

// boardLister has the boards of a network that sorts posts into boards.
type boardLister struct{ publisher }

// Boards returns two boards.
func (boardLister) Boards(context.Context, platform.Account) ([]platform.Board, error) {
	return []platform.Board{
		{ID: "1001", Name: "Test board", Privacy: "PUBLIC"}, {ID: "1002", Name: "Secret test board", Privacy: "SECRET"},
	}, nil
}

// BoardSections returns one section.
func (boardLister) BoardSections(_ context.Context, _ platform.Account, boardID string) ([]platform.BoardSection, error) {
	return []platform.BoardSection{{ID: boardID + "1", Name: "Test section"}}, nil
}

// creatorInformer has the settings of a network that requires them before each post.
type creatorInformer struct{ publisher }

// CreatorInfo returns the settings of a public account without restrictions.
func (creatorInformer) CreatorInfo(_ context.Context, a platform.Account) (platform.CreatorInfo, error) {
	return platform.CreatorInfo{
		Nickname: a.Username, MaxVideoDurationSec: 600, //nolint:mnd // ten minutes
		PrivacyLevelOptions: []string{platform.PrivacyPublic, platform.PrivacyFriends, platform.PrivacySelf},
	}, nil
}

// liveChanger is a network that lets people change published posts.
type liveChanger struct {
	publisher

	changer platform.LiveChanger
}

func (liveChanger) EditLive(context.Context, platform.Account, platform.Live, string) error {
	return nil
}

func (liveChanger) DeleteLive(context.Context, platform.Account, platform.Live) error { return nil }

func (l liveChanger) DeleteWithin() time.Duration { return l.changer.DeleteWithin() }

// name returns the name of the network of the account's type.
func name(a platform.Account) string { return a.Type.Network().Name() + " (test)" }

func fail(a platform.Account, class platform.Class, code, message string) *platform.Failure {
	return &platform.Failure{Class: class, Code: code, Message: strings.ReplaceAll(message, "{network}", name(a))}
}

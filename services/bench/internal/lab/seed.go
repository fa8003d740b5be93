package lab

import (
	"context"
	"fmt"
	"time"

	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/credential"
	"fencepost.internal/shared/domain/event"
	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/domain/webhook"
	"fencepost.internal/shared/domain/workspace"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/kernel/ident"
)

// Tenant is a workspace with its channels.
type Tenant struct {
	ID       ident.Workspace
	Channels []channel.Channel
}

// accounts is the number of accounts per network of a tenant.
const accounts = 4

// Tenant creates a workspace with channels on three of the sandbox's networks.
func (l *Lab) Tenant(ctx context.Context, name string) (Tenant, error) {
	t := Tenant{ID: ident.New[ident.Workspace]()}
	err := postgres.NewWorkspaces(l.DB).Insert(ctx, workspace.Workspace{
		ID: t.ID, Name: name, Plan: workspace.Agency, Timezone: "UTC", CreatedAt: l.Clock.Now(),
	})
	if err != nil {
		return Tenant{}, err
	}
	issued := l.Clock.Now() // no renewal is due: the tenants share these tokens, and a renewal ends them
	for i := range accounts {
		x, telegram := fmt.Sprintf("acme%d", i), fmt.Sprintf("-100%d", i+1)
		for _, c := range []struct {
			typ      channel.Type
			external string
			with     channel.Credentials
		}{
			{
				channel.Twitter, x,
				channel.Credentials{
					AccessToken: "sandbox-x-" + x + ".1", RefreshToken: "sandbox-refresh-" + x + ".1", IssuedAt: issued,
				},
			},
			{channel.Threads, x, channel.Credentials{AccessToken: "sandbox-threads-" + x + ".1", IssuedAt: issued}},
			{channel.TelegramChannel, telegram, channel.Credentials{AccessToken: fmt.Sprintf("%d:sandbox-acme", i+1)}},
		} {
			made := channel.Channel{Name: string(c.typ), Type: c.typ, Username: "acme", ExternalID: c.external}
			if err := l.addChannel(ctx, &t, made, c.with); err != nil {
				return Tenant{}, err
			}
		}
	}
	return t, nil
}

// AddChannels adds channels of one network until the tenant has n channels. Their accounts do not exist on the sandbox.
func (l *Lab) AddChannels(ctx context.Context, t *Tenant, n int) error {
	for i := len(t.Channels); i < n; i++ {
		made := channel.Channel{
			Name: fmt.Sprintf("Harbour %d", i), Type: channel.Twitter, ExternalID: fmt.Sprintf("harbour%d", i),
		}
		if err := l.addChannel(ctx, t, made, channel.Credentials{AccessToken: "sandbox-x"}); err != nil {
			return err
		}
	}
	return nil
}

// addChannel connects a channel and adds it to the tenant.
func (l *Lab) addChannel(ctx context.Context, t *Tenant, made channel.Channel, with channel.Credentials) error {
	made.ID, made.WorkspaceID, made.CreatedAt = ident.New[ident.Channel](), t.ID, l.Clock.Now()
	made.IsConnected, made.TokenStatus, made.Timezone = true, channel.TokenHealthy, "UTC"
	if err := postgres.NewChannels(l.DB, l.Keys).Insert(ctx, made, with); err != nil {
		return err
	}
	t.Channels = append(t.Channels, made)
	return nil
}

// Posts creates n posts, alternating between the channels. when returns the publish time of the i-th post. If when is
// nil, the posts are drafts.
func (l *Lab) Posts(ctx context.Context, t Tenant, n, batch int, when func(i int) time.Time) error {
	store := postgres.NewPosts(l.DB)
	changes := make([]post.Change, 0, batch)
	for i := range n {
		change, err := l.newPost(t, i, when)
		if err != nil {
			return err
		}
		if changes = append(changes, change); len(changes) < batch && i < n-1 {
			continue
		}
		if err := store.Insert(ctx, changes); err != nil {
			return err
		}
		changes = changes[:0]
	}
	return nil
}

// Drafts creates n drafts of each tenant in one transaction, so that all their events are committed at once.
func (l *Lab) Drafts(ctx context.Context, tenants []Tenant, n int) error {
	var changes []post.Change
	for i := range n {
		for _, t := range tenants {
			change, err := l.newPost(t, i, nil)
			if err != nil {
				return err
			}
			changes = append(changes, change)
		}
	}
	return postgres.NewPosts(l.DB).Insert(ctx, changes)
}

func (l *Lab) newPost(t Tenant, i int, when func(i int) time.Time) (post.Change, error) {
	in := post.NewPost{
		WorkspaceID: t.ID, ChannelID: t.Channels[i%len(t.Channels)].ID, ContentType: post.ContentPost,
		Content: fmt.Sprintf("Post %d of the measurement: what the harbour looks like this morning. %s", i,
			ident.New[ident.Post]()),
	}
	if when != nil {
		in.ScheduleAt = when(i)
	}
	return post.Create(in, l.Clock.Now().Truncate(time.Millisecond), post.ActorAPI)
}

// Key creates an API key with every scope.
func (l *Lab) Key(ctx context.Context, t Tenant) (string, error) {
	secret := credential.APIKey.New()
	hash, err := credential.APIKey.Hash(secret)
	if err != nil {
		return "", err
	}
	return secret, postgres.NewKeys(l.DB).Insert(ctx, credential.Key{
		ID: ident.New[ident.Credential](), WorkspaceID: t.ID, Name: "bench", Display: credential.Display(secret), Hash: hash,
		Scopes: credential.Scopes(), CreatedAt: l.Clock.Now(),
	})
}

// Endpoint registers a webhook endpoint for events of the tenant and returns its secret. It subscribes to all events
// unless some are named.
func (l *Lab) Endpoint(ctx context.Context, t Tenant, url string, events ...event.Type) (string, error) {
	secret := webhook.NewSecret()
	now := l.Clock.Now()
	subscribed := []string{webhook.AllEvents}
	if len(events) > 0 {
		subscribed = nil
	}
	for _, typ := range events {
		subscribed = append(subscribed, string(typ))
	}
	return secret, postgres.NewWebhooks(l.DB, l.Keys).Insert(ctx, webhook.Endpoint{
		ID: ident.New[ident.Webhook](), WorkspaceID: t.ID, URL: url, Events: subscribed, IsActive: true,
		CreatedAt: now, UpdatedAt: now,
	}, secret)
}

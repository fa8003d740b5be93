package lab

import (
	"fmt"
	"slices"
	"time"

	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/credential"
	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/domain/webhook"
	"fencepost.internal/shared/domain/workspace"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/kernel/ident"
)

// Content is the text of posts.
const Content = "What the harbour looks like this morning."

const (
	accounts  = 4   // per network of a tenant
	postBatch = 500 // posts in one transaction
)

// Tenant is a workspace with its channels and a key.
type Tenant struct {
	ID       ident.Workspace
	Channels []channel.Channel
	Key      string // API key with every scope
}

// Tenant creates a workspace with a key and with channels on three of the sandbox's networks.
func (r *Run) Tenant(name string) Tenant {
	now := time.Now() // no renewal is due: the tenants share these tokens, and a renewal ends them
	t := Tenant{ID: ident.New[ident.Workspace]()}
	r.Check(postgres.NewWorkspaces(r.DB).Insert(r.ctx, workspace.Workspace{
		ID: t.ID, Name: name, Plan: workspace.Agency, Timezone: "UTC", CreatedAt: now,
	}))
	t.Key = r.key(t.ID)
	for i := range accounts {
		account := fmt.Sprintf("acme%d", i)
		r.Channel(&t, channel.Twitter, account, channel.Credentials{
			AccessToken: "sandbox-x-" + account + ".1", RefreshToken: "sandbox-refresh-" + account + ".1", IssuedAt: now,
		})
		r.Channel(&t, channel.Threads, account, channel.Credentials{
			AccessToken: "sandbox-threads-" + account + ".1", IssuedAt: now,
		})
		r.Channel(&t, channel.TelegramChannel, fmt.Sprintf("-100%d", i+1), channel.Credentials{
			AccessToken: fmt.Sprintf("%d:sandbox-acme", i+1),
		})
	}
	return t
}

// Channel connects a channel and adds it to the tenant.
func (r *Run) Channel(t *Tenant, typ channel.Type, external string, credentials channel.Credentials) {
	c := channel.Channel{
		ID: ident.New[ident.Channel](), WorkspaceID: t.ID, Name: string(typ), Type: typ, Username: "acme",
		ExternalID: external, IsConnected: true, TokenStatus: channel.TokenHealthy, Timezone: "UTC", CreatedAt: time.Now(),
	}
	r.Check(postgres.NewChannels(r.DB, r.Keys).Insert(r.ctx, c, credentials))
	t.Channels = append(t.Channels, c)
}

// Posts creates n posts of a tenant, alternating between the channels. due returns the publish time of the i-th post. If
// due is nil, the posts are drafts.
func (r *Run) Posts(t Tenant, n int, due func(i int) time.Time) {
	changes := make([]post.Change, n)
	for i := range changes {
		changes[i] = r.newPost(t, i, due)
	}
	for batch := range slices.Chunk(changes, postBatch) {
		r.Check(postgres.NewPosts(r.DB).Insert(r.ctx, batch))
	}
}

// Drafts creates n drafts of each tenant in one transaction, so that all their events are committed at once.
func (r *Run) Drafts(tenants []Tenant, n int) {
	var changes []post.Change
	for i := range n {
		for _, t := range tenants {
			changes = append(changes, r.newPost(t, i, nil))
		}
	}
	r.Check(postgres.NewPosts(r.DB).Insert(r.ctx, changes))
}

func (r *Run) newPost(t Tenant, i int, due func(i int) time.Time) post.Change {
	in := post.NewPost{
		WorkspaceID: t.ID, ChannelID: t.Channels[i%len(t.Channels)].ID, ContentType: post.ContentPost,
		Content: UniqueContent(i),
	}
	if due != nil {
		in.ScheduleAt = due(i)
	}
	change, err := post.Create(in, time.Now().Truncate(time.Millisecond), post.ActorAPI)
	r.Check(err)
	return change
}

// UniqueContent returns a text that no other post has.
func UniqueContent(i int) string {
	return fmt.Sprintf("Post %d of the measurement: %s %s", i, Content, ident.New[ident.Post]())
}

// key creates an API key with every scope.
func (r *Run) key(workspace ident.Workspace) string {
	secret := credential.APIKey.New()
	hash, err := credential.APIKey.Hash(secret)
	r.Check(err)
	r.Check(postgres.NewKeys(r.DB).Insert(r.ctx, credential.Key{
		ID: ident.New[ident.Credential](), WorkspaceID: workspace, Name: "bench", Display: credential.Display(secret), Hash: hash,
		Scopes: credential.Scopes(), CreatedAt: time.Now(),
	}))
	return secret
}

// Endpoint registers a webhook endpoint for events of the tenant and returns its secret. It subscribes to all events
// unless some are named.
func (r *Run) Endpoint(t Tenant, url string, events ...string) string {
	secret, now := webhook.NewSecret(), time.Now()
	if len(events) == 0 {
		events = []string{webhook.AllEvents}
	}
	r.Check(postgres.NewWebhooks(r.DB, r.Keys).Insert(r.ctx, webhook.Endpoint{
		ID: ident.New[ident.Webhook](), WorkspaceID: t.ID, URL: url, Events: events, IsActive: true,
		CreatedAt: now, UpdatedAt: now,
	}, secret))
	return secret
}

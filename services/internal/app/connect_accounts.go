package app

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"fencepost.internal/services/internal/relay"
	"fencepost.internal/shared/domain/audit"
	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/credential"
	"fencepost.internal/shared/domain/event"
	"fencepost.internal/shared/domain/inbox"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/kernel/apperr"
	"fencepost.internal/shared/kernel/ident"
	"fencepost.internal/shared/platform"
)

// Enter makes an attempt with values that the person enters, for a channel type without a page at its network.
func (c *Connections) Enter(
	ctx context.Context, p Principal, in BeginConnect, values map[string]string,
) (channel.Attempt, error) {
	a, err := c.attempt(ctx, p, in)
	if err != nil {
		return channel.Attempt{}, err
	}
	link, _ := c.links.Link(channel.Channel{Type: a.Type})
	enterer, ok := link.(platform.Enterer)
	if !ok {
		return channel.Attempt{}, apperr.New(apperr.ValidationFailed,
			"Accounts of the type %s are connected on a page of their network.", a.Type)
	}
	var faults []apperr.Field
	for _, field := range enterer.Fields() {
		if values[field.Name] == "" && !field.Optional {
			faults = append(faults, apperr.Field{Pointer: "/" + field.Name, Message: "Enter the " + strings.ToLower(field.Label[:1]) + field.Label[1:] + "."})
		}
	}
	if err := apperr.Invalid(faults); err != nil {
		return channel.Attempt{}, err
	}
	var accounts []channel.Candidate
	limited, cancel := context.WithTimeout(ctx, networkTime)
	defer cancel()
	found, err := enterer.Enter(limited, values)
	if err != nil {
		found, err = c.recall(limited, link, a.Type, values, err)
	}
	if err != nil {
		c.failed(ctx, &a, "", err)
	} else {
		accounts = c.candidates(&a, found)
	}
	if err := c.connects.Insert(ctx, a, channel.AttemptSecret{}, nil, hashed(in.Session)); err != nil {
		return channel.Attempt{}, err
	}
	return c.offer(ctx, p, a, accounts)
}

// recall returns the accounts that the network reported before, in place of a failure to find one.
func (c *Connections) recall(
	ctx context.Context, link platform.Link, t channel.Type, values map[string]string, failure error,
) ([]channel.Candidate, error) {
	recaller, ok := link.(platform.Recaller)
	if !ok || platform.FailureOf(failure).Class != platform.ClassUser {
		return nil, failure
	}
	source, credentials, err := recaller.Recall(ctx, values)
	if err != nil {
		return nil, failure // which says more
	}
	known, err := c.sources.Connections(ctx, t.Network(), source)
	if err != nil {
		return nil, err
	}
	var found []channel.Candidate
	for _, of := range known {
		found = append(found, channel.Candidate{
			Type: t, ExternalID: of.ExternalID, Name: cmp.Or(of.Name, of.Username), Username: of.Username, Credentials: credentials,
		})
	}
	if len(found) == 0 {
		return nil, failure
	}
	return found, nil
}

// Attempt returns an attempt of the session, and the accounts to choose from without their credentials.
func (c *Connections) Attempt(
	ctx context.Context, p Principal, session string, id ident.Connect,
) (channel.Attempt, []channel.Candidate, error) {
	if err := p.Require(credential.ChannelsConnect); err != nil {
		return channel.Attempt{}, nil, err
	}
	a, secret, err := c.connects.Get(ctx, p.WorkspaceID, id, hashed(session))
	for i := range secret.Accounts {
		secret.Accounts[i].Credentials = channel.Credentials{}
	}
	return a, secret.Accounts, err
}

// Attempts returns the latest attempts in the workspace, newest first.
func (c *Connections) Attempts(ctx context.Context, p Principal, limit int) ([]channel.Attempt, error) {
	if err := p.Require(credential.ChannelsConnect); err != nil {
		return nil, err
	}
	return c.connects.List(ctx, p.WorkspaceID, limit)
}

// Pick connects the chosen accounts, all or none. An account that the workspace has already is reconnected.
func (c *Connections) Pick(
	ctx context.Context, p Principal, session string, id ident.Connect, chosen []string,
) ([]channel.Channel, error) {
	if err := p.Require(credential.ChannelsConnect); err != nil {
		return nil, err
	}
	if len(chosen) == 0 {
		return nil, apperr.Invalid([]apperr.Field{{Pointer: "/accounts", Message: "Choose at least one account."}})
	}
	var created []channel.Channel
	err := c.db.WithinRetriedTx(ctx, func(ctx context.Context) error {
		created = nil
		a, secret, err := c.connects.GetLocked(ctx, p.WorkspaceID, id, hashed(session))
		if err != nil {
			return err
		}
		if a.Outcome != channel.AttemptPicking || !c.now().Before(a.ExpiresAt) {
			return apperr.New(apperr.InvalidState, "This attempt to connect is over. Connect the account again.")
		}
		for _, externalID := range slices.Compact(slices.Sorted(slices.Values(chosen))) {
			at := slices.IndexFunc(secret.Accounts, func(one channel.Candidate) bool { return one.ExternalID == externalID })
			if at < 0 || secret.Accounts[at].Problem != "" || secret.Accounts[at].Needs {
				return apperr.Invalid([]apperr.Field{{
					Pointer: "/accounts", Message: "Choose accounts that can be connected.",
				}})
			}
			connected, err := c.add(ctx, p, &a, secret.Accounts[at])
			if err != nil {
				return err
			}
			created = append(created, connected)
		}
		a.Outcome, a.FinishedAt = channel.AttemptConnected, c.now()
		return c.connects.Save(ctx, a, channel.AttemptSecret{})
	})
	if errors.Is(err, postgres.ErrDuplicate) {
		return nil, apperr.New(apperr.InvalidState, "Another person connected the same account at this moment. Choose again.")
	}
	return created, err
}

// add connects an account, or reconnects its channel.
func (c *Connections) add(
	ctx context.Context, p Principal, a *channel.Attempt, account channel.Candidate,
) (channel.Channel, error) {
	kept, ok, err := c.channels.ByAccount(ctx, p.WorkspaceID, account.Type, account.ExternalID)
	if err != nil {
		return channel.Channel{}, err
	}
	if ok {
		if err := c.reconnect(ctx, p, kept, account); err != nil {
			return channel.Channel{}, err
		}
		c.step(a, kept.Name+" is connected again.")
		return c.channels.For(p.Channels).Get(ctx, p.WorkspaceID, kept.ID)
	}
	w, err := c.workspaces.Get(ctx, p.WorkspaceID)
	if err != nil {
		return channel.Channel{}, err
	}
	if inbox.Numbered(account.Type) {
		used, err := c.channels.CountLocked(ctx, p.WorkspaceID, account.Type)
		if err == nil {
			err = w.Plan.Limits().CheckWhatsAppNumbers(used)
		}
		if err != nil {
			return channel.Channel{}, err
		}
	}
	now := c.now()
	account.Credentials.StoredAt = now
	created := channel.Channel{
		ID: ident.New[ident.Channel](), WorkspaceID: p.WorkspaceID, Name: account.Name, Type: account.Type,
		Username: account.Username, AvatarURL: account.AvatarURL, ExternalID: account.ExternalID, IsConnected: true,
		TokenStatus: c.status(channel.Channel{Type: account.Type}, account.Credentials, now), Timezone: w.Timezone, CreatedAt: now,
		Facts: account.Facts,
	}
	created.Name = cmp.Or(created.Name, account.ExternalID)
	if err := c.channels.Insert(ctx, created, account.Credentials); err != nil {
		return channel.Channel{}, err
	}
	c.step(a, created.Name+" is connected.")
	if err := c.emit(ctx, p, created); err != nil {
		return channel.Channel{}, err
	}
	if err := errors.Join(c.channels.Announce(ctx, created.ID, ""), c.recheck(ctx, created)); err != nil {
		return channel.Channel{}, err
	}
	return created, c.auditLog.Insert(ctx, entryOf(p, now, audit.ChannelConnected, created.Name, created.Type.Network().Name()))
}

// ReconnectTest restores the connection of a test channel, as a person does at the network of a live one. NOT_FOUND if the
// client's workspace has no such test channel.
func (c *Connections) ReconnectTest(ctx context.Context, p Principal, id ident.Channel) (channel.Channel, error) {
	if err := p.Require(credential.ChannelsConnect); err != nil {
		return channel.Channel{}, err
	}
	var of channel.Channel
	err := c.db.WithinRetriedTx(ctx, func(ctx context.Context) (err error) {
		of, err = c.channels.For(p.Channels).GetLocked(ctx, p.WorkspaceID, id)
		if err == nil && !of.IsTest {
			err = apperr.New(apperr.NotFound, "There is no test channel %s.", id)
		}
		if err != nil {
			return err
		}
		return c.reconnect(ctx, p, of, channel.Candidate{Facts: of.Facts})
	})
	return of, err
}

// reconnect gives a channel new credentials of its account. The posts that wait for it go on. It must run in the
// transaction that locked the channel.
func (c *Connections) reconnect(
	ctx context.Context, p Principal, kept channel.Channel, given channel.Candidate,
) error {
	stored, _, err := c.channels.Credentials(ctx, kept.ID)
	if err != nil {
		return err
	}
	now := c.now()
	was, status := kept.Ready(), kept.TokenStatus
	merged := stored.Replaced(given.Credentials, now)
	kept.TokenStatus = c.status(kept, merged, now)
	if err := c.channels.Replace(ctx, kept, merged); err != nil {
		return err
	}
	if err := c.channels.SetFacts(ctx, kept.ID, given.Facts); err != nil {
		return err
	}
	if _, err := c.channels.SetConnected(ctx, kept.WorkspaceID, kept.ID, true); err != nil {
		return err
	}
	c.db.AfterCommit(ctx, func() { c.wake(relay.Events | relay.Messages) })
	if kept.IsConnected = true; was {
		err = c.channels.Note(ctx, kept.ID, channel.Note{
			At: now, Kind: channel.NoteConnected, Detail: "New credentials, by " + string(p.Actor()) + ".",
		})
	} else {
		err = c.emit(ctx, p, kept)
	}
	if err != nil {
		return err
	}
	if err := errors.Join(c.channels.Announce(ctx, kept.ID, status), c.recheck(ctx, kept)); err != nil {
		return err
	}
	return c.auditLog.Insert(ctx, entryOf(p, now, audit.ChannelReconnected, kept.Name, kept.Type.Network().Name()))
}

// recheck lets the worker see that the network reports the conversations of a channel.
func (c *Connections) recheck(ctx context.Context, of channel.Channel) error {
	link, _ := c.links.Link(of)
	source, reports := link.(platform.Source)
	if !reports {
		return nil
	}
	return c.sources.Recheck(ctx, of.Type.Network(), source.SourceOf(platform.Account{Type: of.Type, ExternalID: of.ExternalID}))
}

// status returns the token status of a channel that gets these credentials now.
func (c *Connections) status(of channel.Channel, held channel.Credentials, now time.Time) channel.TokenStatus {
	term := platform.OnUseTerm(held)
	if link, ok := c.links.Link(of); ok {
		term = link.Term(platform.Account{Type: of.Type, Credentials: held})
	}
	return term.Status(now)
}

// emit writes channel.connected or channel.disconnected, and the entry in the channel's timeline.
func (c *Connections) emit(ctx context.Context, p Principal, of channel.Channel) error {
	typ, kind := event.ChannelDisconnected, channel.NoteDisconnected
	if of.IsConnected {
		typ, kind = event.ChannelConnected, channel.NoteConnected
	}
	note := channel.Note{At: c.now(), Kind: kind, Detail: "By " + string(p.Actor()) + "."}
	if err := c.channels.Note(ctx, of.ID, note); err != nil {
		return err
	}
	e, err := of.Event(typ, c.now())
	if err != nil {
		return err
	}
	c.db.AfterCommit(ctx, func() { c.wake(relay.Events | relay.Messages) })
	return c.events.Insert(ctx, e, ident.Webhook{})
}

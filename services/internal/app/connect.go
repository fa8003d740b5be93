package app

import (
	"cmp"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"time"

	"fencepost.internal/services/internal/relay"
	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/credential"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/infra/secretbox"
	"fencepost.internal/shared/kernel/apperr"
	"fencepost.internal/shared/kernel/clock"
	"fencepost.internal/shared/kernel/ident"
	"fencepost.internal/shared/platform"
)

// ConnectionsDeps holds the dependencies of Connections.
type ConnectionsDeps struct {
	DB      *postgres.DB
	Keyring *secretbox.Keyring
	Links   *platform.Registry
	Clock   clock.Clock
	Logger  *slog.Logger
	AppURL  string           // address of the application, to which networks send people back
	Wake    func(relay.Wake) // notifies the relay of committed rows; nil: relays find them at their next tick
}

// Connections implements the use cases of connecting accounts, which only people may use. It is safe for concurrent use.
type Connections struct {
	db         *postgres.DB
	channels   *postgres.Channels
	connects   *postgres.Connects
	events     *postgres.Events
	auditLog   *postgres.Audit
	posts      *postgres.Posts
	workspaces *postgres.Workspaces
	sources    *postgres.InboundSources
	links      *platform.Registry
	clock      clock.Clock
	log        *slog.Logger
	appURL     string
	wake       func(relay.Wake)
}

// NewConnections returns the use cases.
func NewConnections(d ConnectionsDeps) (*Connections, error) {
	if d.DB == nil || d.Keyring == nil || d.Links == nil || d.Clock == nil || d.Logger == nil || d.AppURL == "" {
		return nil, errors.New("app: every dependency of Connections but Poke is required")
	}
	if d.Wake == nil {
		d.Wake = func(relay.Wake) {}
	}
	return &Connections{
		db: d.DB, channels: postgres.NewChannels(d.DB, d.Keyring), connects: postgres.NewConnects(d.DB, d.Keyring),
		events: postgres.NewEvents(d.DB), auditLog: postgres.NewAudit(d.DB), posts: postgres.NewPosts(d.DB),
		workspaces: postgres.NewWorkspaces(d.DB), sources: postgres.NewInboundSources(d.DB, d.Keyring),
		links: d.Links, clock: d.Clock, log: d.Logger, appURL: strings.TrimRight(d.AppURL, "/"), wake: d.Wake,
	}, nil
}

func (c *Connections) now() time.Time { return c.clock.Now().UTC().Truncate(time.Millisecond) }

// BeginConnect is the input of an attempt to connect.
type BeginConnect struct {
	Session string // the person's session, to which the attempt is bound
	Type    channel.Type
	Variant channel.Variant
	Server  string        // name of the account's server, as the person entered it; empty: the usual one
	Channel ident.Channel // the channel to reconnect; zero: another account
}

// attempt returns a new attempt after it has checked the input. A channel to reconnect decides on the type and, unless
// one is given, on the variant and the server.
func (c *Connections) attempt(ctx context.Context, p Principal, in BeginConnect) (channel.Attempt, error) {
	if err := p.Require(credential.ChannelsConnect); err != nil {
		return channel.Attempt{}, err
	}
	if p.InTest() {
		return channel.Attempt{}, apperr.New(apperr.InvalidState,
			"A test workspace has a channel of every type, and connects no account.")
	}
	if in.Session == "" {
		return channel.Attempt{}, errors.New("app: an attempt to connect needs a session")
	}
	now := c.now()
	a := channel.Attempt{
		ID: ident.New[ident.Connect](), WorkspaceID: p.WorkspaceID, Type: in.Type, Variant: in.Variant, Server: in.Server,
		ChannelID: in.Channel, Actor: string(p.Actor()), Outcome: channel.AttemptOpen, CreatedAt: now,
		ExpiresAt: now.Add(channel.StateLife),
	}
	if in.Channel.IsZero() {
		return a, nil
	}
	found, err := c.channels.For(p.Channels).Get(ctx, p.WorkspaceID, in.Channel)
	if err != nil {
		return channel.Attempt{}, err
	}
	held, _, err := c.channels.Credentials(ctx, found.ID)
	if err != nil {
		return channel.Attempt{}, err
	}
	if a.Type = found.Type; a.Variant == "" {
		a.Variant = held.Variant
	}
	if a.Server == "" {
		a.Server = c.serverOf(found, held)
	}
	return a, nil
}

// Begin starts an attempt and returns the page of the network to send the person to. If there is none, the attempt has
// failed, and its steps say why.
func (c *Connections) Begin(ctx context.Context, p Principal, in BeginConnect) (channel.Attempt, string, error) {
	a, err := c.attempt(ctx, p, in)
	if err != nil {
		return channel.Attempt{}, "", err
	}
	link, ok := c.connecter(a.Type)
	if !ok {
		return channel.Attempt{}, "", apperr.New(apperr.ValidationFailed,
			"Accounts of the type %s are not connected on a page of their network.", a.Type)
	}
	if err := c.locate(link, &a); err != nil {
		return channel.Attempt{}, "", err
	}
	state, verifier := rand.Text(), rand.Text()+rand.Text()
	challenge := sha256.Sum256([]byte(verifier))
	authorization, err := link.AuthorizeURL(ctx, platform.Consent{
		State: state, Redirect: a.Redirect, Challenge: base64.RawURLEncoding.EncodeToString(challenge[:]), Variant: a.Variant,
		Server: a.Server,
	})
	if err != nil {
		what := "The page of " + a.Type.Network().Name() + " cannot be opened."
		if a.Server != "" {
			what = "" // the failure is about the server, which has a name
		}
		c.failed(ctx, &a, what, err)
		return a, "", c.connects.Insert(ctx, a, channel.AttemptSecret{}, nil, hashed(in.Session))
	}
	c.step(&a, "You were sent to "+a.Type.Network().Name()+".")
	secret := channel.AttemptSecret{Verifier: verifier, Kept: authorization.Kept}
	return a, authorization.URL, c.connects.Insert(ctx, a, secret, hashed(state), hashed(in.Session))
}

func (c *Connections) connecter(t channel.Type) (platform.Connecter, bool) {
	link, _ := c.links.Link(channel.Channel{Type: t})
	connecter, ok := link.(platform.Connecter)
	return connecter, ok
}

// networkTime limits the calls to a network of one step of an attempt.
const networkTime = 30 * time.Second

// Returned holds the parameters that a network sends with the person.
type Returned struct {
	Network     channel.Network // whose address received them; empty: not known
	Server      string          // host of the server whose address received them; empty: of a network with one server
	State       string
	Code        string
	Error       string // set instead of a code
	Description string
}

// Owner returns the workspace of the attempt with the state that the session began; NOT_FOUND if there is none.
func (c *Connections) Owner(ctx context.Context, session, state string) (ident.Workspace, error) {
	return c.connects.Workspace(ctx, hashed(state), hashed(session))
}

// Finish continues the attempt of the state after the person came back. It works once, within ten minutes, and only in
// the session that began the attempt: otherwise it returns NOT_FOUND. A failure of the network ends the attempt and is
// not an error.
func (c *Connections) Finish(
	ctx context.Context, p Principal, session string, r Returned,
) (channel.Attempt, error) {
	if err := p.Require(credential.ChannelsConnect); err != nil {
		return channel.Attempt{}, err
	}
	a, secret, err := c.connects.Take(ctx, p.WorkspaceID, hashed(r.State), hashed(session), c.now())
	if err != nil {
		return channel.Attempt{}, err
	}
	// The state is used up: the attempt must have an outcome even if the person closes the window now.
	ctx = context.WithoutCancel(ctx)
	limited, cancel := context.WithTimeout(ctx, networkTime)
	defer cancel()
	accounts := c.accounts(limited, &a, secret, r)
	return c.offer(ctx, p, a, accounts)
}

// accounts exchanges the code and returns the accounts. If there are none, the attempt has failed.
func (c *Connections) accounts(
	ctx context.Context, a *channel.Attempt, secret channel.AttemptSecret, r Returned,
) []channel.Candidate {
	name := a.Type.Network().Name()
	link, ok := c.connecter(a.Type)
	switch {
	case !ok:
		c.refuse(a, CodeNoAccount, "This version of the service cannot connect accounts of "+name+".", "")
		return nil
	case r.Network != "" && r.Network != a.Type.Network():
		// A code that another network issued is never sent to this one (RFC 9700 §4.4).
		c.refuse(a, CodeOtherNetwork, "The response came to the address of "+r.Network.Name()+", not of "+name+
			". Connect again.", "")
		return nil
	case r.Network != "" && a.Redirect != redirectAt(c.Redirect(a.Type), r.Server):
		c.refuse(a, CodeOtherServer, "The response came to the address of another server of "+name+". Connect again.", "")
		return nil
	case r.Error != "":
		c.refused(a, r)
		return nil
	case r.Code == "":
		c.refuse(a, CodeNoCode, name+" sent you back without a code.", "")
		return nil
	}
	c.step(a, "You came back from "+name+" with a code.")
	credentials, err := link.Exchange(ctx, platform.Code{
		Code: r.Code, Redirect: a.Redirect, Verifier: secret.Verifier, Variant: a.Variant, Server: a.Server, Kept: secret.Kept,
	})
	if err != nil {
		c.failed(ctx, a, "The code was not exchanged for a token.", err)
		return nil
	}
	c.step(a, "The code was exchanged for a token.")
	needed, useful := link.Scopes(a.Variant).Missing(credentials.Scope)
	if len(needed) > 0 {
		c.refuse(a, CodeScopeMissing, fmt.Sprintf("%s did not grant %s. Connect again, and leave every permission ticked.", name,
			strings.Join(needed, ", ")), "granted: "+plain(credentials.Scope, longestResponse))
		return nil
	}
	if len(useful) > 0 {
		c.step(a, fmt.Sprintf("%s did not grant %s. Publishing works; figures may be missing.", name,
			strings.Join(useful, ", ")))
	}
	found, err := link.Accounts(ctx, credentials)
	if err != nil {
		c.failed(ctx, a, "The accounts were not listed.", err)
		return nil
	}
	return c.candidates(a, found)
}

// candidates converts the accounts to choose from. If none can be chosen, the attempt has failed.
func (c *Connections) candidates(a *channel.Attempt, found []channel.Candidate) []channel.Candidate {
	accounts := make([]channel.Candidate, 0, len(found))
	var problems []string
	for _, account := range found {
		account.Credentials.Subject = ""
		account.Name, account.Username = plain(account.Name, longestName), plain(account.Username, longestName)
		account.Owner = plain(account.Owner, longestName)
		account.Name = cmp.Or(account.Name, account.Username)
		if account.Problem != "" {
			problems = append(problems, account.Name+": "+account.Problem)
		}
		accounts = append(accounts, account)
	}
	switch {
	case len(accounts) == 0:
		c.refuse(a, CodeNoAccount, a.Type.Network().Name()+" lists no account that you may publish to.", "")
		return nil
	case len(problems) == len(accounts):
		c.refuse(a, CodeAccountBlocked, "No account can be connected. "+strings.Join(problems, " "), "")
		return nil
	}
	if len(accounts) > 1 {
		c.step(a, fmt.Sprintf("%d of %d accounts can be connected.", len(accounts)-len(problems), len(accounts)))
	}
	return accounts
}

// offer lets the person choose from the accounts, or reconnects the channel of the attempt at once.
func (c *Connections) offer(
	ctx context.Context, p Principal, a channel.Attempt, accounts []channel.Candidate,
) (channel.Attempt, error) {
	if !a.Outcome.Final() && a.ChannelID.IsZero() {
		a.Outcome, a.ExpiresAt = channel.AttemptPicking, c.now().Add(channel.PickLife)
	}
	if a.Outcome.Final() || a.ChannelID.IsZero() {
		return a, c.connects.Save(ctx, a, channel.AttemptSecret{Accounts: accounts})
	}
	err := c.db.WithinTx(ctx, func(ctx context.Context) error {
		kept, err := c.channels.For(p.Channels).GetLocked(ctx, p.WorkspaceID, a.ChannelID)
		if err != nil {
			return err
		}
		at := slices.IndexFunc(accounts, func(one channel.Candidate) bool {
			return sameAccount(one.ExternalID, kept.ExternalID)
		})
		switch {
		case at < 0:
			names := make([]string, len(accounts))
			for i, one := range accounts {
				names[i] = one.Name
			}
			c.refuse(&a, CodeOtherAccount, fmt.Sprintf("This channel is %s. You signed in as %s. Sign out at %s, then reconnect as "+
				"%s.", kept.Name, strings.Join(names, ", "), a.Type.Network().Name(), kept.Name), "")
		case accounts[at].Problem != "":
			c.refuse(&a, CodeAccountBlocked, accounts[at].Problem, "")
		case accounts[at].Needs: // the person enters what registers it, and Pick reconnects the channel
			a.Outcome, a.ExpiresAt = channel.AttemptPicking, c.now().Add(channel.PickLife)
			return c.connects.Save(ctx, a, channel.AttemptSecret{Accounts: accounts[at : at+1]})
		default:
			if err := c.reconnect(ctx, p, kept, accounts[at]); err != nil {
				return err
			}
			a.Outcome, a.FinishedAt = channel.AttemptConnected, c.now()
			c.step(&a, kept.Name+" is connected again.")
		}
		return c.connects.Save(ctx, a, channel.AttemptSecret{})
	})
	return a, err
}

// sameAccount compares two ids of accounts of one type, whose case counts. An operator may have given a LinkedIn id as a
// URN.
func sameAccount(a, b string) bool {
	tail := func(id string) string { return id[strings.LastIndexByte(id, ':')+1:] }
	return tail(a) == tail(b)
}

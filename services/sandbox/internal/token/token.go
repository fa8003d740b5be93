// Package token keeps the tokens of the sandbox networks: who they are for, what they allow, and how long.
//
// Accounts need no registration. An access token is sandbox-<network>-<account>, a refresh token is
// sandbox-refresh-<account>. The account may be followed by @<role>, for a kind of account that has other tokens, and by
// .<generation>, a number that every renewal increments. A token that was not issued by a renewal or by Issue counts as
// issued when it is first used, with all scopes and for the application that renews it first. If the network renews
// only tokens of a certain age, it already has that age. A bot's token is <digits>:sandbox-<name>.
package token

import (
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"fencepost.internal/services/sandbox/internal/ledger"
	"fencepost.internal/shared/kernel/clock"
)

// The reasons why a token is not accepted.
var (
	ErrInvalid = errors.New("token: unknown or revoked")
	ErrExpired = errors.New("token: expired")
	ErrScope   = errors.New("token: without a needed scope")
	ErrData    = errors.New("token: access to data expired")
	ErrYoung   = errors.New("token: too young to be renewed")
	ErrApp     = errors.New("token: issued to another application")
)

// IsRefusal reports that the error is a reason why a token is not accepted, and not a failure of the disk.
func IsRefusal(err error) bool {
	for _, reason := range []error{ErrInvalid, ErrExpired, ErrScope, ErrData, ErrYoung, ErrApp} {
		if errors.Is(err, reason) {
			return true
		}
	}
	return false
}

// Config holds the settings of Tokens.
type Config struct {
	Path     string
	Policies map[string][]Policy // by network
	Clock    clock.Clock
	Logger   *slog.Logger
}

// Tokens stores the issued tokens. It is safe for concurrent use.
type Tokens struct {
	journal  *ledger.Journal
	policies map[string][]Policy
	clock    clock.Clock
	logger   *slog.Logger

	mu       sync.Mutex
	accounts map[key]*account
}

type key struct{ network, account, role string }

// account holds the tokens of one account.
type account struct {
	current int           // the newest generation that a renewal or Issue returned
	revoked int           // generations below this one were revoked
	expired int           // a fault expired this generation and older ones; below zero: none
	issued  map[int]Grant // by generation
}

// record is a line of the file. Lines written before tokens had an end have neither times nor scopes.
type record struct {
	Network string `json:"network"`
	Seen    bool   `json:"seen,omitempty"` // the token was used without having been issued
	Revoked int    `json:"revoked,omitempty"`
	Grant
}

// Open reads the tokens' file.
func Open(config Config) (*Tokens, error) {
	if config.Clock == nil {
		return nil, errors.New("tokens: a clock is needed")
	}
	t := &Tokens{
		policies: config.Policies, clock: config.Clock, logger: config.Logger, accounts: make(map[key]*account),
	}
	file, err := ledger.OpenJournal(ledger.JournalConfig{Path: config.Path, Logger: config.Logger, Replay: t.replay})
	if err != nil {
		return nil, err
	}
	t.journal = file
	return t, nil
}

// Close closes the journal.
func (t *Tokens) Close() error { return t.journal.Close() }

func (t *Tokens) replay(line []byte) error {
	var r record
	if err := json.Unmarshal(line, &r); err != nil {
		return err
	}
	a := t.account(r.Network, r.Grant)
	a.revoked = max(a.revoked, r.Revoked)
	if !r.IssuedAt.IsZero() {
		a.issued[r.Generation] = r.Grant
	}
	if !r.Seen {
		a.current = max(a.current, r.Generation)
	}
	return nil
}

// account returns the state of the grant's account.
func (t *Tokens) account(network string, grant Grant) *account {
	name := key{network, grant.Account, grant.Role}
	if t.accounts[name] == nil {
		t.accounts[name] = &account{expired: -1, issued: make(map[int]Grant)}
	}
	return t.accounts[name]
}

// known returns the grant of the parsed token, and whether it is used for the first time.
func (a *account) known(parsed Grant, policy Policy, now time.Time) (grant Grant, first bool) {
	grant, ok := a.issued[parsed.Generation]
	if ok {
		return grant, false
	}
	grant = policy.issue(parsed.Account, parsed.Generation, now.Add(-policy.Youngest))
	a.issued[parsed.Generation] = grant
	return grant, true
}

// remember stores a token that is used for the first time. If the disk fails, its issue time is lost at the end of the
// process.
func (t *Tokens) remember(network string, grant Grant) {
	if err := t.journal.Append(record{Network: network, Seen: true, Grant: grant}); err != nil {
		t.logger.Warn("token not stored", slog.Any("error", err))
	}
}

// Access returns the grant of an access token that has all the scopes. Otherwise it returns the reason, and the grant
// if it is known.
func (t *Tokens) Access(network, token string, scopes ...string) (Grant, error) {
	parsed, policy, ok := t.parse(network, accessPrefix(network), token)
	if !ok {
		return Grant{}, ErrInvalid
	}
	t.mu.Lock()
	a, now := t.account(network, parsed), t.clock.Now()
	grant, first := a.known(parsed, policy, now)
	err := a.refuses(grant, policy, now)
	t.mu.Unlock()
	if first {
		t.remember(network, grant)
	}
	if err == nil && !grant.Has(scopes...) {
		err = ErrScope
	}
	return grant, err
}

// refuses returns the reason why the network does not accept the access token.
func (a *account) refuses(grant Grant, policy Policy, now time.Time) error {
	switch {
	case grant.Generation < a.revoked:
		return ErrInvalid
	case policy.Revokes && grant.Generation < a.current:
		return ErrInvalid
	case grant.Generation <= a.expired, over(grant.ExpiresAt, now):
		return ErrExpired
	case over(grant.DataExpiresAt, now):
		return ErrData
	default:
		return nil
	}
}

// Expire expires the token and all older ones of the account, until a renewal.
func (t *Tokens) Expire(network string, grant Grant) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.account(network, grant).expired = grant.Generation
}

// Revive makes the tokens valid again that Expire expired.
func (t *Tokens) Revive() {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, a := range t.accounts {
		a.expired = -1
	}
}

// OfRefreshToken returns the account of a refresh token, whether it is still accepted or not.
func (t *Tokens) OfRefreshToken(network, token string) (Grant, bool) {
	grant, _, ok := t.parse(network, refreshPrefix, token)
	return grant, ok
}

// OfAccessToken returns the account of an access token, whether it is still accepted or not.
func (t *Tokens) OfAccessToken(network, token string) (Grant, bool) {
	grant, _, ok := t.parse(network, accessPrefix(network), token)
	return grant, ok
}

// Renew exchanges the refresh token of the grant, or, on a network that has none, its access token. It returns the new
// tokens when they are on disk; if it refuses, it returns the old ones with the reason. Of two renewals with a refresh
// token that rotates, only the first succeeds. The first application that renews a pair is the only one that can renew it
// and its successors.
func (t *Tokens) Renew(network string, old Grant, app string) (Grant, error) {
	policy, _ := t.policy(network, old.Role)
	old, next, err := t.advance(network, old, policy, app)
	if err != nil {
		return old, err
	}
	// The old pair is stored too, because it stays valid on most networks.
	err = errors.Join(t.journal.Append(record{Network: network, Seen: true, Grant: old}),
		t.journal.Append(record{Network: network, Grant: next}))
	if err != nil {
		return Grant{}, fmt.Errorf("token: %w", err)
	}
	return next, nil
}

func (t *Tokens) advance(network string, sent Grant, policy Policy, app string) (old, next Grant, err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	a, now := t.account(network, sent), t.clock.Now()
	old, _ = a.known(sent, policy, now)
	if err := a.refusesRenewal(old, policy, app, now); err != nil {
		return old, Grant{}, err
	}
	old.App = app
	next = policy.issue(old.Account, max(a.current, old.Generation)+1, now)
	next.App, next.Scopes = app, old.Scopes
	if policy.FixedRefresh {
		next.RefreshExpiresAt = old.RefreshExpiresAt
	}
	a.current = next.Generation
	a.issued[old.Generation], a.issued[next.Generation] = old, next
	return old, next, nil
}

// refusesRenewal returns the reason why the network does not renew the tokens.
func (a *account) refusesRenewal(old Grant, policy Policy, app string, now time.Time) error {
	switch {
	case old.Generation < a.revoked:
		return ErrInvalid
	case policy.Rotates && old.Generation < a.current:
		return ErrInvalid
	case policy.RenewalScope != "" && !old.Has(policy.RenewalScope):
		return ErrScope
	case policy.Youngest > 0:
		if err := a.refuses(old, policy, now); err != nil {
			return err
		}
		if now.Before(old.IssuedAt.Add(policy.Youngest)) {
			return ErrYoung
		}
		return nil
	case over(old.RefreshExpiresAt, now):
		return ErrExpired
	case old.App != "" && old.App != app:
		return ErrApp
	default:
		return nil
	}
}

// Consent describes tokens as a user grants them to an application.
type Consent struct {
	Account, Role, App string
	Scopes             []string      // nil: all
	Age                time.Duration // how long ago
}

// Issue returns new tokens of an account, as after a user's consent, when they are on disk. It returns ErrInvalid for an
// account or a role that the network does not have, and ErrScope for an unknown scope.
func (t *Tokens) Issue(network string, consent Consent) (Grant, error) {
	policy, ok := t.policy(network, consent.Role)
	if !ok || !accountPattern.MatchString(consent.Account) {
		return Grant{}, ErrInvalid
	}
	if !(Grant{Scopes: policy.Scopes}).Has(consent.Scopes...) {
		return Grant{}, ErrScope
	}
	t.mu.Lock()
	a := t.account(network, Grant{Account: consent.Account, Role: consent.Role})
	grant := policy.issue(consent.Account, a.current+1, t.clock.Now().Add(-consent.Age))
	grant.App = consent.App
	if consent.Scopes != nil {
		grant.Scopes = consent.Scopes
	}
	a.current = grant.Generation
	a.issued[grant.Generation] = grant
	t.mu.Unlock()
	if err := t.journal.Append(record{Network: network, Grant: grant}); err != nil {
		return Grant{}, fmt.Errorf("token: %w", err)
	}
	return grant, nil
}

// Revoke ends every token of the account of an access or refresh token until the next consent. It returns ErrInvalid for
// a token of another form.
func (t *Tokens) Revoke(network, text string) error {
	grant, _, ok := t.parse(network, accessPrefix(network), text)
	if !ok {
		grant, _, ok = t.parse(network, refreshPrefix, text)
	}
	if !ok {
		return ErrInvalid
	}
	t.mu.Lock()
	a := t.account(network, grant)
	a.revoked = max(a.revoked, a.current+1, grant.Generation+1)
	a.current = max(a.current, a.revoked-1)
	revoked := a.revoked
	t.mu.Unlock()
	grant.Generation = revoked - 1
	return t.journal.Append(record{Network: network, Revoked: revoked, Grant: Grant{
		Account: grant.Account, Role: grant.Role, Generation: revoked - 1,
	}})
}

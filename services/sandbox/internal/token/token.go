// Package token decides which access tokens the sandbox networks accept.
//
// Accounts need no registration. An access token is sandbox-<network>-<account>, a refresh token is
// sandbox-refresh-<account>. Both may end in .<generation>, a number that every refresh increments. A bot's token is
// <digits>:sandbox-<name>.
package token

import (
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"regexp"
	"strconv"
	"strings"
	"sync"

	"socialpub.internal/services/sandbox/internal/journal"
)

// ErrInvalid is returned for a refresh token that is not, or no longer, accepted.
var ErrInvalid = errors.New("token: not accepted")

// Grant is the account and generation of a token.
type Grant struct {
	Account    string
	Generation int
}

// Config holds the settings of Tokens.
type Config struct {
	Path   string
	Logger *slog.Logger
}

// Tokens stores the generations of refreshed tokens. It is safe for concurrent use.
type Tokens struct {
	journal *journal.Journal

	mu      sync.Mutex
	current map[key]int // the newest issued generation
	expired map[key]int // this generation and older ones are expired
}

type key struct{ network, account string }

type record struct {
	Network    string `json:"network"`
	Account    string `json:"account"`
	Generation int    `json:"generation"`
}

// Open reads the tokens' file.
func Open(config Config) (*Tokens, error) {
	t := &Tokens{current: make(map[key]int), expired: make(map[key]int)}
	file, err := journal.Open(journal.Config{Path: config.Path, Logger: config.Logger, Replay: t.replay})
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
	name := key{r.Network, r.Account}
	t.current[name] = max(t.current[name], r.Generation)
	return nil
}

// Access parses an access token of the network. It returns false if the token is not accepted. If refreshes revoke
// older tokens (X), only the newest generation is accepted.
func (t *Tokens) Access(network, token string, revoking bool) (Grant, bool) {
	grant, ok := parse("sandbox-"+network+"-", token)
	if !ok {
		return Grant{}, false
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	name := key{network, grant.Account}
	if last, some := t.expired[name]; some && grant.Generation <= last {
		return grant, false
	}
	return grant, !revoking || grant.Generation >= t.current[name]
}

// Expire expires the token and all older ones of the account, until a refresh.
func (t *Tokens) Expire(network string, grant Grant) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.expired[key{network, grant.Account}] = grant.Generation
}

// Revive makes expired tokens valid again.
func (t *Tokens) Revive() {
	t.mu.Lock()
	defer t.mu.Unlock()
	clear(t.expired)
}

// RefreshToken parses a refresh token, whether it is still accepted or not.
func RefreshToken(token string) (Grant, bool) { return parse("sandbox-refresh-", token) }

// AccessToken parses an access token of the network, whether it is still accepted or not.
func AccessToken(network, token string) (Grant, bool) { return parse("sandbox-"+network+"-", token) }

// Rotate issues the next generation and returns it when it is on disk. If refreshes revoke older tokens, Rotate returns
// ErrInvalid for a grant older than the newest, so that of two refreshes with one token only the first succeeds.
func (t *Tokens) Rotate(network string, grant Grant, revoking bool) (int, error) {
	next, err := t.advance(network, grant, revoking)
	if err != nil {
		return 0, err
	}
	if err := t.journal.Append(record{Network: network, Account: grant.Account, Generation: next}); err != nil {
		return 0, fmt.Errorf("token: %w", err)
	}
	return next, nil
}

func (t *Tokens) advance(network string, grant Grant, revoking bool) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	name := key{network, grant.Account}
	if revoking && grant.Generation < t.current[name] {
		return 0, ErrInvalid
	}
	next := max(t.current[name], grant.Generation) + 1
	t.current[name] = next
	return next, nil
}

// Mint returns an access token.
func Mint(network, account string, generation int) string {
	return "sandbox-" + network + "-" + account + "." + strconv.Itoa(generation)
}

// MintRefresh returns a refresh token.
func MintRefresh(account string, generation int) string {
	return "sandbox-refresh-" + account + "." + strconv.Itoa(generation)
}

// Bot returns the name in a bot's token. It returns false if the token has another format.
func Bot(token string) (string, bool) {
	number, rest, _ := strings.Cut(token, ":")
	name, ok := strings.CutPrefix(rest, "sandbox-")
	if _, err := strconv.ParseUint(number, 10, 64); err != nil || !ok || !accountPattern.MatchString(name) {
		return "", false
	}
	return name, true
}

var accountPattern = regexp.MustCompile(`^[A-Za-z0-9_@.-]{1,100}$`)

func parse(prefix, token string) (Grant, bool) {
	account, ok := strings.CutPrefix(token, prefix)
	if !ok {
		return Grant{}, false
	}
	generation := 0
	if at := strings.LastIndexByte(account, '.'); at > 0 {
		if number, err := strconv.ParseUint(account[at+1:], 10, 31); err == nil {
			account, generation = account[:at], int(number)
		}
	}
	return Grant{Account: account, Generation: generation}, accountPattern.MatchString(account)
}

package operator

import (
	"context"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"fencepost.internal/shared/domain/audit"
	"fencepost.internal/shared/domain/credential"
	"fencepost.internal/shared/kernel/apperr"
	"fencepost.internal/shared/kernel/ident"
)

// Names for groups of scopes.
const (
	ScopesAll     = "all"
	ScopesDefault = "default"
)

// Never is the expiry of a key that is valid until it is revoked.
const Never = "never"

// longestLife bounds an expiry given in days. Use Never for a longer one.
const longestLife = 3650

// NewKey holds the input for an API key. Empty fields mean the default scopes and no expiry.
type NewKey struct {
	Workspace string
	Name      string
	Scopes    string // scopes, all or default, separated by commas
	Expires   string // days such as 90d, a time in RFC 3339, or never
	Test      bool   // a key of the workspace's test workspace
}

func (n NewKey) check(now time.Time) (credential.Key, error) {
	var f faults
	key := credential.Key{
		WorkspaceID: f.workspace(n.Workspace), Name: f.text(MemberName, n.Name),
		Scopes: f.scopes(n.Scopes), ExpiresAt: f.expiry(n.Expires, now),
	}
	return key, f.err()
}

func (f *faults) scopes(given string) []credential.Scope {
	if strings.TrimSpace(given) == "" {
		given = ScopesDefault
	}
	wanted := make(map[credential.Scope]bool)
	want := func(scopes ...credential.Scope) {
		for _, s := range scopes {
			wanted[s] = true
		}
	}
	for item := range strings.SplitSeq(given, ",") {
		switch scope := credential.Scope(strings.TrimSpace(item)); {
		case scope == ScopesAll:
			want(credential.Scopes()...)
		case scope == ScopesDefault:
			want(credential.DefaultScopes()...)
		case scope.Known():
			want(scope)
		default:
			f.add(MemberScopes, "%q is not a scope; choose from %s, or write %s or %s",
				string(scope), oneOf(credential.Scopes()), ScopesAll, ScopesDefault)
		}
	}
	return slices.DeleteFunc(credential.Scopes(), func(s credential.Scope) bool { return !wanted[s] })
}

var daysPattern = regexp.MustCompile(`^([0-9]{1,6})d$`)

func (f *faults) expiry(given string, now time.Time) time.Time {
	text := strings.TrimSpace(given)
	if text == "" || text == Never {
		return time.Time{}
	}
	if match := daysPattern.FindStringSubmatch(text); match != nil {
		days, _ := strconv.Atoi(match[1])
		if days < 1 || days > longestLife {
			f.add(MemberExpires, "%q must be from 1d to %dd; write %s for a key that does not expire", given, longestLife, Never)
		}
		return now.AddDate(0, 0, days)
	}
	if text[0] < '0' || text[0] > '9' || !strings.Contains(text, "-") {
		f.add(MemberExpires, "%q is neither days (90d), nor a time (2027-03-01T09:00:00Z), nor %s", given, Never)
		return time.Time{}
	}
	return f.instant(MemberExpires, text, now)
}

// CreateKey creates a key and returns its text. The text cannot be read again later.
func (o *Operator) CreateKey(ctx context.Context, in NewKey) (credential.Key, string, error) {
	now := o.now()
	key, err := in.check(now)
	if err != nil {
		return credential.Key{}, "", err
	}
	w, err := o.workspace(ctx, key.WorkspaceID)
	if err != nil {
		return credential.Key{}, "", err
	}
	if in.Test && !w.IsTest() {
		if w, err = o.workspaces.EnsureTest(ctx, w.ID, now); err != nil {
			return credential.Key{}, "", err
		}
		key.WorkspaceID = w.ID
	}
	kind := credential.KeyKind(w.IsTest())
	secret := kind.New()
	if key.Hash, err = kind.Hash(secret); err != nil {
		return credential.Key{}, "", err
	}
	key.ID, key.Display, key.CreatedAt = ident.New[ident.Credential](), credential.Display(secret), now
	return key, secret, o.recorded(ctx, key.WorkspaceID, audit.KeyCreated, key.Name, key.Display,
		func(ctx context.Context) error { return o.keys.Insert(ctx, key) })
}

// Keys lists a workspace's keys, oldest first, after them those of its test workspace.
func (o *Operator) Keys(ctx context.Context, workspace string) ([]credential.Key, error) {
	w, err := o.Workspace(ctx, workspace)
	if err != nil {
		return nil, err
	}
	keys, err := o.keys.List(ctx, w.ID)
	if err != nil {
		return nil, err
	}
	test, err := o.workspaces.Test(ctx, w.ID)
	if apperr.Is(err, apperr.NotFound) {
		return keys, nil
	}
	if err != nil {
		return nil, err
	}
	tests, err := o.keys.List(ctx, test.ID)
	return append(keys, tests...), err
}

// RevokeKey revokes a key and returns it. changed is false if the key was revoked already; it then keeps its original
// revocation time.
func (o *Operator) RevokeKey(ctx context.Context, workspace, id string) (key credential.Key, changed bool, err error) {
	var f faults
	workspaceID, keyID := f.workspace(workspace), parseID[ident.Credential](&f, MemberKeyID, id, "admin key list")
	if err := f.err(); err != nil {
		return credential.Key{}, false, err
	}
	if _, err := o.workspace(ctx, workspaceID); err != nil {
		return credential.Key{}, false, err
	}
	if test, err := o.workspaces.Test(ctx, workspaceID); err == nil {
		keys, err := o.keys.List(ctx, test.ID)
		if err != nil {
			return credential.Key{}, false, err
		}
		if slices.ContainsFunc(keys, func(k credential.Key) bool { return k.ID == keyID }) {
			workspaceID = test.ID
		}
	} else if !apperr.Is(err, apperr.NotFound) {
		return credential.Key{}, false, err
	}
	now := o.now()
	err = o.Together(ctx, func(ctx context.Context) error {
		key, changed, err = o.revoke(ctx, workspaceID, keyID, now)
		if err != nil || !changed {
			return err
		}
		return o.records.Record(ctx, client(workspaceID), audit.KeyRevoked, key.Name, key.Display)
	})
	return key, changed, err
}

func (o *Operator) revoke(
	ctx context.Context, workspaceID ident.Workspace, keyID ident.Credential, now time.Time,
) (credential.Key, bool, error) {
	err := o.keys.Revoke(ctx, workspaceID, keyID, now)
	if apperr.Is(err, apperr.NotFound) {
		err = apperr.New(apperr.NotFound, "Workspace %s has no key %s. See: admin key list --workspace %s", workspaceID,
			keyID, workspaceID)
	}
	if err != nil {
		return credential.Key{}, false, err
	}
	keys, err := o.keys.List(ctx, workspaceID)
	if err != nil {
		return credential.Key{}, false, err
	}
	at := slices.IndexFunc(keys, func(k credential.Key) bool { return k.ID == keyID })
	if at < 0 {
		return credential.Key{}, false, apperr.New(apperr.NotFound, "Key %s was deleted in the meantime.", keyID)
	}
	return keys[at], keys[at].RevokedAt.Equal(now), nil
}

// KeyWorks reports whether a key's text is currently accepted for the workspace.
func (o *Operator) KeyWorks(ctx context.Context, workspace ident.Workspace, secret string) (bool, error) {
	hash, err := credential.HashKey(secret)
	if err != nil {
		return false, nil //nolint:nilerr // a text that is not a key does not work, which is not an error
	}
	key, _, _, err := o.keys.ByHash(ctx, hash)
	if apperr.Is(err, apperr.NotFound) {
		return false, nil
	}
	return err == nil && key.WorkspaceID == workspace && key.Valid(o.now()), err
}

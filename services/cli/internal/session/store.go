// Package session stores how the command line signs in: profiles with an API key, or with the tokens of a person.
package session

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/gofrs/flock"
)

const (
	fileName = "credentials.json"
	lockName = "credentials.lock"
	private  = 0o600
	lockPoll = 50 * time.Millisecond
	// early is the time before its end at which an access token is refreshed.
	early = time.Minute
)

// DefaultProfile is the name of the profile of a single installation.
const DefaultProfile = "default"

// ErrSignedOut reports that a profile does not exist, or that its sign-in has ended.
var ErrSignedOut = errors.New("not signed in")

// Profile is an installation with the credential for one workspace.
type Profile struct {
	URL    string  `json:"url"`
	APIKey string  `json:"apiKey,omitempty"`
	Tokens *Tokens `json:"tokens,omitempty"`
}

// Tokens are those of a person who allowed access.
type Tokens struct {
	ClientID  string    `json:"clientId"`
	Access    string    `json:"accessToken"`
	Refresh   string    `json:"refreshToken"`
	ExpiresAt time.Time `json:"expiresAt"`
	Scope     string    `json:"scope"`
}

// Store is the file of the profiles. Several processes may use it at once.
type Store struct {
	folder string
	now    func() time.Time
	http   *http.Client
}

// New returns the store in a folder, which is created when a profile is written.
func New(folder string, now func() time.Time, client *http.Client) *Store {
	return &Store{folder: folder, now: now, http: client}
}

// Path returns the path of the file.
func (s *Store) Path() string { return filepath.Join(s.folder, fileName) }

func (s *Store) read() (map[string]Profile, error) {
	raw, err := os.ReadFile(s.Path())
	if errors.Is(err, fs.ErrNotExist) {
		return map[string]Profile{}, nil
	}
	if err != nil {
		return nil, err
	}
	profiles := make(map[string]Profile)
	if err := json.Unmarshal(raw, &profiles); err != nil {
		return nil, fmt.Errorf("%s is not the file of the profiles: %w", s.Path(), err)
	}
	return profiles, nil
}

// write replaces the file as a whole, so that a reader never sees a part of it.
func (s *Store) write(profiles map[string]Profile) error {
	raw, err := json.MarshalIndent(profiles, "", "  ")
	if err != nil {
		return err
	}
	return Replace(s.Path(), append(raw, '\n'))
}

// Replace writes a file that only its owner can read, as a whole.
func Replace(path string, content []byte) error {
	file, err := os.CreateTemp(filepath.Dir(path), ".new-*") // with mode 0600
	if err != nil {
		return err
	}
	_, err = file.Write(content)
	if err = errors.Join(err, file.Sync(), file.Close()); err == nil {
		err = os.Rename(file.Name(), path)
	}
	if err != nil {
		_ = os.Remove(file.Name())
	}
	return err
}

// change changes the profiles while other processes wait.
func (s *Store) change(ctx context.Context, do func(profiles map[string]Profile) error) error {
	if err := os.MkdirAll(s.folder, 0o700); err != nil {
		return err
	}
	lock := flock.New(filepath.Join(s.folder, lockName), flock.SetPermissions(private))
	if locked, err := lock.TryLockContext(ctx, lockPoll); err != nil || !locked {
		return fmt.Errorf("lock the profiles: %w", err)
	}
	defer func() { _ = lock.Close() }()
	profiles, err := s.read()
	if err != nil {
		return err
	}
	if err := do(profiles); err != nil {
		return err
	}
	return s.write(profiles)
}

// Get returns a profile; ErrSignedOut if there is none with the name.
func (s *Store) Get(name string) (Profile, error) {
	profiles, err := s.read()
	if err != nil {
		return Profile{}, err
	}
	profile, found := profiles[name]
	if !found {
		return Profile{}, ErrSignedOut
	}
	return profile, nil
}

// Names returns the names of all profiles in their order.
func (s *Store) Names() ([]string, error) {
	profiles, err := s.read()
	return slices.Sorted(maps.Keys(profiles)), err
}

// Put writes a profile.
func (s *Store) Put(ctx context.Context, name string, profile Profile) error {
	return s.change(ctx, func(profiles map[string]Profile) error {
		profiles[name] = profile
		return nil
	})
}

// Remove deletes a profile.
func (s *Store) Remove(ctx context.Context, name string) error {
	return s.change(ctx, func(profiles map[string]Profile) error {
		delete(profiles, name)
		return nil
	})
}

// Exposed reports whether users other than the owner may read the file.
func (s *Store) Exposed() (bool, error) {
	info, err := os.Stat(s.Path())
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	return info.Mode().Perm()&^private != 0, nil
}

// Credential returns the API key of a profile, or an access token that is valid for a while. It refreshes the token;
// of several processes, one does. ErrSignedOut: the person must sign in again.
func (s *Store) Credential(ctx context.Context, name string) (string, error) {
	profile, err := s.Get(name)
	if err != nil || profile.Tokens == nil || s.fresh(profile.Tokens) {
		return profile.credential(), err
	}
	err = s.change(ctx, func(profiles map[string]Profile) error {
		var found bool
		if profile, found = profiles[name]; !found {
			return ErrSignedOut
		}
		if profile.Tokens == nil || s.fresh(profile.Tokens) { // another process has refreshed it
			return nil
		}
		tokens, err := s.refresh(ctx, profile)
		if err != nil {
			return err
		}
		profile.Tokens = tokens
		profiles[name] = profile
		return nil
	})
	return profile.credential(), err
}

func (s *Store) fresh(tokens *Tokens) bool { return s.now().Add(early).Before(tokens.ExpiresAt) }

func (p Profile) credential() string {
	if p.Tokens != nil {
		return p.Tokens.Access
	}
	return p.APIKey
}

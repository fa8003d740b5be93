// Package seed fills a database with sample data for development: two workspaces with keys, channels that publish to
// the sandbox network, ideas, and link pages with visits.
package seed

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"fencepost.internal/services/admin/internal/operator"
	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/credential"
	"fencepost.internal/shared/kernel/apperr"
	"fencepost.internal/shared/kernel/ident"
)

// Seed holds the created records, in the form of .run/dev.json (docs/contract.md, Stack file).
type Seed struct {
	User       User        `json:"user"`
	Workspaces []Workspace `json:"workspaces"`
}

// User is the user who can sign in to the application in every seeded workspace.
type User struct {
	Email    string `json:"email"`
	Password string `json:"password"`
}

// Workspace is a seeded workspace with the texts of its keys.
type Workspace struct {
	ID             string    `json:"id"`
	Name           string    `json:"name"`
	Plan           string    `json:"plan"`
	APIKey         string    `json:"apiKey"`
	ReadOnlyAPIKey string    `json:"readOnlyApiKey"`
	Channels       []Channel `json:"channels"`
}

// Channel is a seeded channel.
type Channel struct {
	ID   string `json:"id"`
	Type string `json:"type"`
	Name string `json:"name"`
}

const seededEmail = "robin@example.com"

// Run returns the seed. With a state file, the seed is created once: while the file and the database agree, Run returns
// the same seed, and made is false. With an empty path, Run creates a new seed each time.
func Run(ctx context.Context, op *operator.Operator, stateFile string) (seed Seed, created bool, err error) {
	if stateFile != "" {
		seed, err = load(stateFile)
		if err != nil {
			return Seed{}, false, err
		}
		valid, err := valid(ctx, op, seed)
		if err != nil || valid {
			return seed, false, err
		}
	}
	seed, err = create(ctx, op, stateFile)
	return seed, true, err
}

// create creates all records or none. The state file is written last, before the commit. If the commit fails, the next
// run finds a file whose records are missing and creates them again. In the opposite order, records could remain that
// no file names.
func create(ctx context.Context, op *operator.Operator, stateFile string) (Seed, error) {
	var created Seed
	var unwritten error
	err := op.Together(ctx, func(ctx context.Context) error {
		created = Seed{Workspaces: make([]Workspace, 0, len(plans()))}
		for _, p := range plans() {
			w, err := p.create(ctx, op)
			if err != nil {
				return fmt.Errorf("seed %s: %w", p.name, err)
			}
			created.Workspaces = append(created.Workspaces, w)
			if err := created.User.join(ctx, op, w.ID); err != nil {
				return fmt.Errorf("seed the user: %w", err)
			}
		}
		if stateFile != "" {
			unwritten = save(stateFile, created)
		}
		return unwritten
	})
	if unwritten != nil {
		return Seed{}, unwritten
	}
	return created, err
}

// valid reports whether every record of the state is in the database, its keys work, and this version would create the
// same seed.
func valid(ctx context.Context, op *operator.Operator, seed Seed) (bool, error) {
	wanted := plans()
	if len(seed.Workspaces) != len(wanted) {
		return false, nil
	}
	for i, w := range seed.Workspaces {
		if !w.follows(wanted[i]) {
			return false, nil
		}
		if ok, err := seed.User.valid(ctx, op, w.ID); err != nil || !ok {
			return false, err
		}
		if ok, err := w.valid(ctx, op); err != nil || !ok {
			return false, err
		}
	}
	return true, nil
}

// join makes the user a member and an operator of the installation, and creates the user in the first workspace. A user that exists already gets a new
// password.
func (u *User) join(ctx context.Context, op *operator.Operator, workspace string) error {
	_, created, err := op.AddUser(ctx, operator.NewUser{Workspace: workspace, Email: seededEmail, Name: "Robin Example"})
	if err == nil && created == "" && u.Password == "" {
		created, err = op.SetPassword(ctx, seededEmail, "")
	}
	if err == nil {
		_, err = op.SetOperator(ctx, seededEmail, true)
	}
	if created != "" {
		u.Email, u.Password = seededEmail, created
	}
	return err
}

func (u *User) valid(ctx context.Context, op *operator.Operator, workspace string) (bool, error) {
	id, err := ident.Parse[ident.Workspace](workspace)
	if err != nil {
		return false, nil //nolint:nilerr // an edited file: the seed is created again
	}
	return op.PasswordWorks(ctx, u.Email, u.Password, id)
}

// follows reports whether the workspace matches the plan.
func (w Workspace) follows(p plan) bool {
	return w.Plan == string(p.plan) && slices.EqualFunc(w.Channels, p.channels, func(c Channel, s spec) bool {
		return c.Type == string(s.typ)
	})
}

func (w Workspace) valid(ctx context.Context, op *operator.Operator) (bool, error) {
	found, err := op.Workspace(ctx, w.ID)
	if absent(err) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	for _, secret := range []string{w.APIKey, w.ReadOnlyAPIKey} {
		if works, err := op.KeyWorks(ctx, found.ID, secret); err != nil || !works {
			return false, err
		}
	}
	channels, err := op.Channels(ctx, w.ID)
	if err != nil {
		return false, err
	}
	there := make(map[string]bool, len(channels))
	for _, c := range channels {
		there[c.ID.String()] = true
	}
	return !slices.ContainsFunc(w.Channels, func(c Channel) bool { return !there[c.ID] }), nil
}

// absent reports whether a workspace of the state is missing. An invalid id comes from an edited file and means the
// same.
func absent(err error) bool {
	return apperr.Is(err, apperr.NotFound) || apperr.Is(err, apperr.ValidationFailed)
}

func (p plan) create(ctx context.Context, op *operator.Operator) (Workspace, error) {
	w, err := op.CreateWorkspace(ctx, operator.NewWorkspace{Name: p.name, Plan: string(p.plan), Timezone: p.timezone})
	if err != nil {
		return Workspace{}, err
	}
	created := Workspace{ID: w.ID.String(), Name: w.Name, Plan: string(w.Plan), Channels: make([]Channel, 0, len(p.channels))}
	keys := []struct {
		text         *string
		name, scopes string
	}{
		{&created.APIKey, "Development, every scope", operator.ScopesAll},
		{&created.ReadOnlyAPIKey, "Development, read only", string(credential.ChannelsRead)},
	}
	for _, k := range keys {
		if _, *k.text, err = op.CreateKey(ctx, operator.NewKey{
			Workspace: created.ID, Name: k.name, Scopes: k.scopes,
		}); err != nil {
			return Workspace{}, err
		}
	}
	account := newAccount(p.account)
	for _, spec := range p.channels {
		c, err := op.CreateChannel(ctx, spec.on(account, created.ID))
		if err != nil {
			return Workspace{}, err
		}
		if c.Type.Capabilities().Publish {
			times := slots
			if _, err := op.SetSchedule(ctx, created.ID, c.ID.String(), operator.ScheduleChange{Slots: &times}); err != nil {
				return Workspace{}, err
			}
		}
		created.Channels = append(created.Channels, toChannel(c))
	}
	if err := p.addIdeas(ctx, op, created.ID); err != nil {
		return Workspace{}, err
	}
	return created, p.addPage(ctx, op, created, w.CreatedAt)
}

func toChannel(c channel.Channel) Channel {
	return Channel{ID: c.ID.String(), Type: string(c.Type), Name: c.Name}
}

var errState = errors.New("the state file")

// IsStateError reports whether the error concerns the state file rather than the database.
func IsStateError(err error) bool { return errors.Is(err, errState) }

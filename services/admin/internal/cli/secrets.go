package cli

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"fencepost.internal/services/admin/internal/operator"
	"fencepost.internal/shared/infra/postgres"
)

const (
	rewrapBatch = 500
	// shownRefusals is the number of values that cannot be opened of which a batch is reported in full.
	shownRefusals = 5
)

func (a *app) secrets() *cobra.Command {
	return group("secrets", "Show and replace the keys that encrypt stored secrets",
		"The first key of ENCRYPTION_KEYS encrypts secrets, and every key of the list decrypts them. These commands remove an "+
			"old key\nfrom use. See \"Key rotation\" in docs/operations.md.", a.secretsList(), a.secretsRewrap())
}

// secretRecord is the number of secrets of a kind under a key in JSON.
type secretRecord struct {
	Key    string `json:"key"`
	Kind   string `json:"kind"`
	Count  int    `json:"count"`
	Active bool   `json:"active"` // the key encrypts now
	Known  bool   `json:"known"`  // the key is in ENCRYPTION_KEYS
}

func (a *app) secretsList() *cobra.Command {
	return &cobra.Command{
		Use: "list", Short: "Count the secrets under each key",
		Long:    "list prints how many stored secrets each key encrypts. A key that encrypts none may be removed from ENCRYPTION_KEYS.",
		Example: "  admin secrets list\n  admin secrets list --json",
		Args:    cobra.NoArgs,
		RunE: a.operate(func(ctx context.Context, op *operator.Operator, _ []string) error {
			return a.keysInUse(ctx, op)
		}),
	}
}

// keysInUse prints the secrets under each key, and which keys may be removed.
func (a *app) keysInUse(ctx context.Context, op *operator.Operator) error {
	use, err := op.KeyUse(ctx)
	if err != nil {
		return err
	}
	records := convert(use.Counts, func(c postgres.SecretCount) secretRecord {
		return secretRecord{c.Key, c.Place, c.Count, c.Key == use.Active, use.Known(c.Key)}
	})
	return a.show(records, func() error {
		err := a.list([]string{"KEY", "KIND", "COUNT", ""}, convert(records, func(r secretRecord) []string {
			note := ""
			switch {
			case r.Active:
				note = "active"
			case !r.Known:
				note = "NOT IN ENCRYPTION_KEYS"
			}
			return []string{r.Key, r.Kind, strconv.Itoa(r.Count), note}
		}), "No secret is stored.")
		if unused := use.Unused(); err == nil && len(unused) > 0 {
			err = a.print("Not in use, may be removed from ENCRYPTION_KEYS: %s\n", strings.Join(unused, ", "))
		}
		return err
	})
}

func (a *app) secretsRewrap() *cobra.Command {
	batch := rewrapBatch
	cmd := &cobra.Command{
		Use: "rewrap", Short: "Encrypt every stored secret with the active key",
		Long: `rewrap encrypts every secret that an older key encrypts with the first key of ENCRYPTION_KEYS, and prints what remains under
each key. Every program must have that key already. The programs may run meanwhile: a secret that one of them changes at the same
time keeps the change. After an interruption, run the command again; it continues with the rest.

The addresses of uploads in progress are not changed. They end with their posts.

The command fails if a secret cannot be opened, and names its record. All other secrets are encrypted nevertheless.`,
		Example: "  admin secrets rewrap",
		Args:    cobra.NoArgs,
		RunE: a.operate(func(ctx context.Context, op *operator.Operator, _ []string) error {
			return a.rewrap(ctx, op, batch)
		}),
	}
	ordered(cmd).IntVar(&batch, operator.MemberBatch, rewrapBatch, "`NUMBER` of secrets that are read at a time")
	return cmd
}

func (a *app) rewrap(ctx context.Context, op *operator.Operator, batch int) error {
	refused := 0
	err := op.Rewrap(ctx, batch, func(r postgres.Rewrapped) error {
		a.note("%s: %d encrypted with the active key, %d changed meanwhile, %d refused", r.Place, r.Done, r.Changed,
			len(r.Refused))
		for _, reason := range r.Refused[:min(len(r.Refused), shownRefusals)] {
			a.note("  %s", reason)
		}
		refused += len(r.Refused)
		return nil
	})
	switch {
	case errors.Is(err, context.Canceled):
		return errors.New("interrupted; run the command again, it continues with the rest")
	case err != nil:
		return err
	}
	if err := a.keysInUse(ctx, op); err != nil || refused == 0 {
		return err
	}
	return fmt.Errorf("%d secrets cannot be opened with ENCRYPTION_KEYS; their records are named above", refused)
}

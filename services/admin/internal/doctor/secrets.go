package doctor

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"fencepost.internal/shared/infra/config"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/infra/secretbox"
)

// secrets checks that the keys open every secret of the database.
func (e *exam) secrets(ctx context.Context) {
	cfg, valid := load[config.Encryption](e)
	if !valid {
		return
	}
	ring, err := secretbox.NewKeyring(cfg.Keys)
	if err != nil {
		e.report(Finding{Check: checkSecrets, Code: "CONFIGURATION", Text: "ENCRYPTION_KEYS is not valid.", Cause: err.Error()})
		return
	}
	e.ring = ring
	if e.db == nil {
		return
	}
	store := postgres.NewSecrets(e.db, ring)
	counts, err := store.Count(ctx)
	if err != nil {
		e.report(Finding{Check: checkSecrets, Code: "SECRETS_UNREADABLE", Text: "The secrets cannot be read.", Cause: causeOf(err)})
		return
	}
	refused, err := store.Sample(ctx)
	if err != nil {
		e.report(Finding{Check: checkSecrets, Code: "SECRETS_UNREADABLE", Text: "The secrets cannot be read.", Cause: causeOf(err)})
		return
	}
	before := len(e.findings)
	e.missingKeys(counts)
	e.otherKeys(refused)
	e.oldKeys(counts)
	if len(e.findings) == before {
		e.ok(checkSecrets, "every secret is encrypted with key %s", ring.ActiveKeyID())
	}
}

// missingKeys reports keys that secrets need and the list lacks.
func (e *exam) missingKeys(counts []postgres.SecretCount) {
	use := byKey(counts)
	for _, key := range slices.Sorted(maps.Keys(use)) {
		if slices.Contains(e.ring.KeyIDs(), key) {
			continue
		}
		e.report(Finding{
			Check: checkSecrets, Code: "KEY_MISSING", Text: fmt.Sprintf("ENCRYPTION_KEYS lacks the key %q, which is in use.", key),
			Cause: "Encrypted with it: " + use[key] + ".",
			Remedy: "Put the key back into ENCRYPTION_KEYS of every program, after the active one. Then run " +
				"\"admin secrets rewrap\" before you remove it.",
		})
	}
}

// otherKeys reports keys that have another value than the one that encrypted.
func (e *exam) otherKeys(refused map[string]error) {
	for _, key := range slices.Sorted(maps.Keys(refused)) {
		if !slices.Contains(e.ring.KeyIDs(), key) {
			continue // it is missing
		}
		e.report(Finding{
			Check: checkSecrets, Code: "KEY_WRONG", Text: fmt.Sprintf("The key %q does not open the secrets under its id.", key),
			Cause:  "ENCRYPTION_KEYS has another key under this id, or the record was changed: " + refused[key].Error() + ".",
			Remedy: "Give the key that encrypted them. Use a new id for a new key.",
		})
	}
}

// oldKeys reports keys that are still needed although they are not the active one.
func (e *exam) oldKeys(counts []postgres.SecretCount) {
	use := byKey(counts)
	for _, key := range slices.Sorted(maps.Keys(use)) {
		if key == e.ring.ActiveKeyID() || !slices.Contains(e.ring.KeyIDs(), key) {
			continue
		}
		e.report(Finding{
			Check: checkSecrets, Level: Warning, Code: "KEY_OLD", Text: fmt.Sprintf("The key %q is still in use.", key),
			Cause:  "Encrypted with it: " + use[key] + ".",
			Remedy: "Run \"admin secrets rewrap\". Keep the key until \"admin secrets list\" does not list it.",
		})
	}
}

// byKey returns the places of secrets in words, by key.
func byKey(counts []postgres.SecretCount) map[string]string {
	places := make(map[string][]string)
	for _, c := range counts {
		places[c.Key] = append(places[c.Key], fmt.Sprintf("%s (%d)", c.Place, c.Count))
	}
	texts := make(map[string]string, len(places))
	for key, list := range places {
		texts[key] = strings.Join(list, ", ")
	}
	return texts
}

package postgres

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"

	"fencepost.internal/shared/kernel/ident"
)

type identityKey struct {
	WorkspaceID    ident.Workspace
	Network, Value string
}

func identityOf(m placed) identityKey { return identityKey{m.WorkspaceID, m.network, m.Person.ID} }

// people returns the person of each identity in the messages, and stores those who are new.
func (s *Inbound) people(ctx context.Context, messages []placed) (map[identityKey]ident.Person, error) {
	last := make(map[identityKey]placed)
	for _, m := range messages {
		if known, is := last[identityOf(m)]; !is ||
			cmp.Or(m.SentAt.Compare(known.SentAt), cmp.Compare(m.Person.Name, known.Person.Name)) > 0 {
			last[identityOf(m)] = m
		}
	}
	var rows []map[string]any
	for _, at := range slices.SortedFunc(maps.Keys(last), compareIdentities) {
		m, id := last[at], ident.New[ident.Person]()
		for _, value := range append([]string{at.Value}, m.Person.Aliases...) {
			rows = append(rows, map[string]any{
				"workspace_id": at.WorkspaceID, "network": at.Network, "value": value, "person_id": id, "name": m.Person.Name,
				"username": m.Person.Username, "seen_at": m.SentAt,
			})
		}
	}
	raw, err := jsonParam(rows)
	if err != nil {
		return nil, err
	}
	var stored []struct {
		Key      identityKey `gorm:"embedded"`
		PersonID ident.Person
	}
	if err := s.db.conn(ctx).Raw(inboundPeople, map[string]any{"rows": raw}).Scan(&stored).Error; err != nil {
		return nil, classify(err)
	}
	people := make(map[identityKey]ident.Person, len(stored))
	var created []map[string]any
	for _, row := range stored {
		people[row.Key] = row.PersonID
	}
	for at, m := range last {
		if err := s.joined(ctx, at, m.Person.Aliases, people); err != nil {
			return nil, err
		}
		created = append(created, map[string]any{"id": people[at], "workspace_id": at.WorkspaceID, "name": ""})
	}
	err = s.db.conn(ctx).Table("person").Clauses(onConflict("ON CONFLICT (id) DO NOTHING")).Create(created).Error
	return people, classify(err)
}

func compareIdentities(a, b identityKey) int {
	return cmp.Or(strings.Compare(a.WorkspaceID.String(), b.WorkspaceID.String()), cmp.Compare(a.Network, b.Network), cmp.Compare(a.Value, b.Value))
}

// joined makes one person of the identities that a network names together: the one who was known first.
func (s *Inbound) joined(ctx context.Context, at identityKey, aliases []string, people map[identityKey]ident.Person) error {
	first, several := people[at], false
	keys := []identityKey{at}
	for _, alias := range aliases {
		key := identityKey{at.WorkspaceID, at.Network, alias}
		keys = append(keys, key)
		several = several || people[key] != people[at]
		if people[key].String() < first.String() { // UUIDv7: the older one
			first = people[key]
		}
	}
	if !several {
		return nil
	}
	for _, key := range keys {
		was := people[key]
		if was == first {
			continue
		}
		for _, statement := range []string{
			`UPDATE person_identity SET person_id = @first WHERE workspace_id = @workspace AND person_id = @was`,
			`UPDATE conversation SET person_id = @first WHERE workspace_id = @workspace AND person_id = @was`,
			`DELETE FROM person WHERE workspace_id = @workspace AND id = @was`,
		} {
			params := map[string]any{"first": first, "was": was, "workspace": at.WorkspaceID}
			if err := s.db.conn(ctx).Exec(statement, params).Error; err != nil {
				return classify(err)
			}
		}
		people[key] = first
	}
	return nil
}

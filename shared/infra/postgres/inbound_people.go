package postgres

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"

	"fencepost.internal/shared/domain/person"
	"fencepost.internal/shared/kernel/apperr"
	"fencepost.internal/shared/kernel/ident"
)

type identityKey struct {
	WorkspaceID    ident.Workspace
	Network, Value string
}

func identityOf(m placed) identityKey { return identityKey{m.WorkspaceID, m.network, m.Person.ID} }

// knownPerson is the person of an identity, and who that was before any merge: what the network itself names together has one origin.
type knownPerson struct{ Person, Origin ident.Person }

// people returns the person of each identity in the messages, and stores those who are new.
func (s *Inbound) people(ctx context.Context, messages []placed) (map[identityKey]knownPerson, error) {
	last := make(map[identityKey]placed)
	for _, m := range messages {
		named := func(of placed) int { return min(1, len(of.Person.Name)+len(of.Person.Username)) }
		if known, is := last[identityOf(m)]; !is || cmp.Or(named(m)-named(known), m.SentAt.Compare(known.SentAt),
			cmp.Compare(m.Person.Name, known.Person.Name)) > 0 {
			last[identityOf(m)] = m
		}
	}
	rows := make(map[identityKey]map[string]any) // each once: a payload may name by one ID who is the alias of another
	for _, at := range slices.SortedFunc(maps.Keys(last), compareIdentities) {
		m, id := last[at], ident.New[ident.Person]()
		phone, _ := person.Phone(m.Person.Phone)
		for _, key := range at.with(m.Person.Aliases) {
			if _, is := rows[key]; is && key != at {
				continue
			}
			rows[key] = map[string]any{
				"workspace_id": key.WorkspaceID, "network": key.Network, "value": key.Value, "person_id": id, "name": m.Person.Name,
				"username": m.Person.Username, "seen_at": m.SentAt, "phone": phone,
			}
			phone = "" // of the first ID
		}
	}
	raw, err := jsonParam(slices.Collect(maps.Values(rows)))
	if err != nil {
		return nil, err
	}
	var stored []struct {
		Key   identityKey `gorm:"embedded"`
		Known knownPerson `gorm:"embedded;embeddedPrefix:known_"`
	}
	if err := s.db.conn(ctx).Raw(inboundPeople, map[string]any{"rows": raw}).Scan(&stored).Error; err != nil {
		return nil, classify(err)
	}
	people := make(map[identityKey]knownPerson, len(stored))
	for _, row := range stored {
		people[row.Key] = row.Known
	}
	return people, s.same(ctx, last, people, raw)
}

// same makes one person of the identities that a network names together, or that have one phone number there, and stores the people
// who are new.
func (s *Inbound) same(ctx context.Context, last map[identityKey]placed, people map[identityKey]knownPerson, given string) error {
	together := make(map[identityKey][]identityKey)
	for at, m := range last {
		together[at] = at.with(m.Person.Aliases)
	}
	var numbers []struct {
		Key   identityKey `gorm:"embedded"`
		Known knownPerson `gorm:"embedded;embeddedPrefix:known_"`
		Of    string
	}
	err := s.db.conn(ctx).Raw(`SELECT i.workspace_id, i.network, i.value, i.person_id AS known_person,
			COALESCE(i.origin, i.person_id) AS known_origin, g.value AS of
		FROM jsonb_to_recordset(CAST(? AS jsonb)) AS g(workspace_id uuid, network text, value text, phone text)
		JOIN person_identity i ON i.workspace_id = g.workspace_id AND i.phone = g.phone AND i.phone <> '' AND i.network = g.network
			AND i.value <> g.value`, given).Scan(&numbers).Error
	if err != nil {
		return classify(err)
	}
	for _, n := range numbers {
		at := identityKey{n.Key.WorkspaceID, n.Key.Network, n.Of}
		together[at] = append(together[at], n.Key)
		people[n.Key] = n.Known
	}
	for _, at := range slices.SortedFunc(maps.Keys(together), compareIdentities) {
		if err := s.joined(ctx, together[at], people); err != nil {
			return err
		}
	}
	var created []map[string]any
	for at, known := range people {
		created = append(created, map[string]any{"id": known.Person, "workspace_id": at.WorkspaceID, "name": ""})
	}
	return classify(s.db.conn(ctx).Table("person").Clauses(onConflict("ON CONFLICT (id) DO NOTHING")).Create(created).Error)
}

// with returns the identities of a person with further IDs.
func (k identityKey) with(aliases []string) []identityKey {
	keys := []identityKey{k}
	for _, alias := range aliases {
		keys = append(keys, identityKey{k.WorkspaceID, k.Network, alias})
	}
	return keys
}

func compareIdentities(a, b identityKey) int {
	return cmp.Or(strings.Compare(a.WorkspaceID.String(), b.WorkspaceID.String()), cmp.Compare(a.Network, b.Network), cmp.Compare(a.Value, b.Value))
}

// joined makes one person of identities: the one who was known first. The other one's address leads there.
func (s *Inbound) joined(ctx context.Context, keys []identityKey, people map[identityKey]knownPerson) error {
	first := people[keys[0]]
	for _, key := range keys {
		if people[key].Person.String() < first.Person.String() { // UUIDv7: the older one
			first = people[key]
		}
	}
	for _, key := range keys {
		was := people[key]
		if was == first {
			continue
		}
		for _, table := range originTables() {
			err := s.db.conn(ctx).Exec(`UPDATE `+table+` SET person_id = @first, origin = CASE
					WHEN COALESCE(origin, person_id) = @gone THEN CAST(@kept AS uuid) ELSE COALESCE(origin, person_id) END
				WHERE person_id = @was`, map[string]any{
				"first": first.Person, "was": was.Person, "gone": was.Origin, "kept": first.Origin,
			}).Error
			if err != nil {
				return classify(err)
			}
		}
		for other, known := range people { // also those whom other messages of the batch name
			if known.Person == was.Person {
				people[other] = knownPerson{first.Person, known.Origin}
			}
			if known == was {
				people[other] = first
			}
		}
		if was.Person != first.Person {
			if err := s.absorbed(ctx, key.WorkspaceID, was.Person, first.Person); err != nil {
				return err
			}
		}
	}
	return nil
}

// absorbed leads from a person, if stored, to the one whom the network says it is, who gets what members wrote about both.
func (s *Inbound) absorbed(ctx context.Context, of ident.Workspace, was, into ident.Person) error {
	if err := oneSuggestion(ctx, s.db, was, into); err != nil {
		return err
	}
	for _, table := range ownedTables() {
		err := s.db.conn(ctx).Exec(`UPDATE `+table+` SET person_id = ? WHERE person_id = ?`, into, was).Error
		if err != nil {
			return classify(err)
		}
	}
	err := s.db.conn(ctx).Table("person").Clauses(onConflict("ON CONFLICT (id) DO NOTHING")).
		Create(map[string]any{"id": into, "workspace_id": of, "name": ""}).Error
	if err != nil {
		return classify(err)
	}
	people := NewPeople(s.db)
	kept, other, err := people.locked(ctx, of, into, was)
	if apperr.Is(err, apperr.NotFound) {
		return nil // it is new
	}
	if err != nil {
		return err
	}
	after, err := kept.With(other)
	if err != nil {
		return err
	}
	return people.merged(ctx, after, was, into)
}

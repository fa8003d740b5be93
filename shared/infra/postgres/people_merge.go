package postgres

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/person"
	"fencepost.internal/shared/kernel/ident"
)

// originTables are the tables whose rows belong to a person, and know the person that they belonged to before any merge. What
// arrives later at a moved identity has the identity's origin, and follows it when a merge is undone.
func originTables() []string { return []string{"person_identity", "conversation"} }

// ownedTables are further tables with the columns id and person_id. A merge moves their rows, and its undo moves the same rows back.
func ownedTables() []string { return []string{"lead", "message", "lead_suggestion"} }

// moved holds what a merge moved and changed, for its undo.
type moved struct {
	Origins []string            `json:"origins"` // of rows in originTables
	Rows    map[string][]string `json:"rows"`    // IDs of rows in ownedTables
	Before  person.Person       `json:"before"`  // into which the other one was merged
	After   person.Person       `json:"after"`
}

// lockAccounts lets no batch of events of the workspace's channels be applied until the transaction ends, as inboundBatch.lock does. So
// a merge and a batch never wait for rows of each other, and what arrives meanwhile is applied afterwards, to the merged person.
func (s *People) lockAccounts(ctx context.Context, of ident.Workspace) error {
	var channels []struct{ Type, ExternalID string }
	err := s.db.conn(ctx).Table("channel").Select("type, external_id").Where("workspace_id = ?", of).Find(&channels).Error
	if err != nil {
		return classify(err)
	}
	accounts := make(map[string]bool)
	for _, c := range channels {
		for _, account := range accountsOf(c.ExternalID) {
			accounts[accountKey(string(channel.Type(c.Type).Network()), account)] = true
		}
	}
	return lockAccounts(ctx, s.db, accounts)
}

// accountsOf returns the accounts that events of a channel can name: the channel's own, or the bot of which it is an account.
func accountsOf(externalID string) []string {
	bot, _, _ := strings.Cut(externalID, ":")
	return []string{externalID, bot}
}

// pair locks the accounts and two people of a workspace, and returns them.
func (s *People) pair(ctx context.Context, of ident.Workspace, a, b ident.Person) (first, second person.Person, err error) {
	if err := s.lockAccounts(ctx, of); err != nil {
		return first, second, err
	}
	return s.locked(ctx, of, a, b)
}

// locked locks two people of a workspace after their conversations, as replies do, and returns them. The caller has the locks of the
// accounts.
func (s *People) locked(ctx context.Context, of ident.Workspace, a, b ident.Person) (first, second person.Person, err error) {
	if err := s.lockTalks(ctx, []string{a.String(), b.String()}); err != nil {
		return first, second, err
	}
	var rows []personRow
	err = s.db.conn(ctx).Table("person").Where("workspace_id = ? AND id IN ?", of, []ident.Person{a, b}).Order("id").
		Clauses(locking("FOR NO KEY UPDATE")).Find(&rows).Error
	if err != nil {
		return first, second, classify(err)
	}
	found := make(map[ident.Person]person.Person, len(rows))
	for _, row := range rows {
		found[row.ID] = fromPersonRow(row)
	}
	first, is := found[a]
	second, also := found[b]
	if !is || !also {
		return first, second, notFound("person")
	}
	return first, second, nil
}

// lockTalks locks the conversations of people in one order.
func (s *People) lockTalks(ctx context.Context, people []string) error {
	return classify(s.db.conn(ctx).Exec(`SELECT FROM conversation WHERE person_id = ANY(CAST(? AS uuid[])) ORDER BY id FOR NO KEY UPDATE`,
		textArray(people)).Error)
}

// Merge makes one person of two: what belongs to the other one belongs to the first, and the address of the other one leads there.
// NOT_FOUND unless the workspace has both; INVALID_STATE if one of them was merged or erased.
func (s *People) Merge(ctx context.Context, of ident.Workspace, m person.Merge, actor ident.User) error {
	return s.db.WithinTx(ctx, func(ctx context.Context) error {
		into, from, err := s.pair(ctx, of, m.IntoID, m.FromID)
		if err != nil {
			return err
		}
		after, err := into.With(from)
		if err != nil {
			return err
		}
		record := moved{Rows: make(map[string][]string), Before: into, After: after}
		for _, table := range originTables() {
			var origins []string
			err := s.db.conn(ctx).Raw(`UPDATE `+table+` SET person_id = ?, origin = COALESCE(origin, person_id)
				WHERE person_id = ? RETURNING origin`, into.ID, from.ID).Scan(&origins).Error
			if err != nil {
				return classify(err)
			}
			record.Origins = append(record.Origins, origins...)
		}
		record.Origins = append(record.Origins, from.ID.String())
		slices.Sort(record.Origins)
		record.Origins = slices.Compact(record.Origins)
		if err := oneSuggestion(ctx, s.db, from.ID, into.ID); err != nil {
			return err
		}
		for _, table := range ownedTables() {
			var ids []string
			err := s.db.conn(ctx).Raw(`UPDATE `+table+` SET person_id = ? WHERE person_id = ? RETURNING id`, into.ID, from.ID).Scan(&ids).Error
			if err != nil {
				return classify(err)
			}
			record.Rows[table] = ids
		}
		if err := s.merged(ctx, after, from.ID, into.ID); err != nil {
			return err
		}
		raw, err := json.Marshal(record)
		if err != nil {
			return err
		}
		return classify(s.db.conn(ctx).Table("person_merge").Create(map[string]any{
			"id": m.ID, "workspace_id": of, "into_id": into.ID, "from_id": from.ID, "moved": string(raw), "actor": actor, "at": m.At,
		}).Error)
	})
}

// oneSuggestion deletes the open suggestion of a person who becomes another one, who has one, too.
func oneSuggestion(ctx context.Context, db *DB, from, into ident.Person) error {
	return classify(db.conn(ctx).Exec(`DELETE FROM lead_suggestion WHERE person_id = ? AND state = 'OPEN'
		AND EXISTS (SELECT FROM lead_suggestion WHERE person_id = ? AND state = 'OPEN')`, from, into).Error)
}

// merged stores a person after a merge or its undo, and whom the other one was merged into; zero: no one.
func (s *People) merged(ctx context.Context, p person.Person, other, into ident.Person) error {
	if err := s.db.conn(ctx).Table("person").Where("id = ?", p.ID).Updates(personColumns(p)).Error; err != nil {
		return classify(err)
	}
	err := s.db.conn(ctx).Table("person").Where("id = ?", other).Update("merged_into", optional(into)).Error
	if err != nil {
		return classify(err)
	}
	return classify(s.db.conn(ctx).Exec(`UPDATE conversation SET changed_at = now(), revision = revision + 1 WHERE person_id IN ?`,
		[]ident.Person{p.ID, other}).Error)
}

type mergeRow struct {
	ID       ident.PersonMerge
	IntoID   ident.Person
	FromID   ident.Person
	FromName string
	By       *string
	At       time.Time
	UndoneAt *time.Time
}

func fromMergeRow(r mergeRow) person.Merge {
	return person.Merge{
		ID: r.ID, IntoID: r.IntoID, FromID: r.FromID, FromName: r.FromName, By: value(r.By), At: r.At, UndoneAt: value(r.UndoneAt),
	}
}

// family is the subquery of a person and of those who were merged into it.
const family = `WITH RECURSIVE chain AS (SELECT id FROM person WHERE id = ?
	UNION SELECT p.id FROM person p JOIN chain c ON p.merged_into = c.id) SELECT id FROM chain`

// Merges returns what was merged into a person and is not undone, newest first.
func (s *People) Merges(ctx context.Context, of ident.Workspace, into ident.Person) ([]person.Merge, error) {
	var rows []mergeRow
	err := s.db.conn(ctx).Table("person_merge m").Joins("JOIN person f ON f.id = m.from_id").Joins("LEFT JOIN app_user u ON u.id = m.actor").
		Joins(`LEFT JOIN LATERAL (SELECT i.name, i.username FROM person_identity i
			WHERE i.person_id = m.into_id AND i.origin = m.from_id ORDER BY i.name || i.username = '', i.seen_at DESC LIMIT 1) i ON true`).
		Select(`m.id, m.into_id, m.from_id, COALESCE(NULLIF(f.name, ''), NULLIF(i.name, ''), '@' || NULLIF(i.username, ''), '') AS from_name,
			u.name AS by, m.at, m.undone_at`).
		Where("m.workspace_id = ? AND m.into_id IN ("+family+") AND m.undone_at IS NULL", of, into).Order("m.at DESC").Find(&rows).Error
	return each(rows, fromMergeRow), classify(err)
}

// root returns the person whom a chain of merges leads to, with the database's locks of the caller.
func (s *People) root(ctx context.Context, id ident.Person) (root ident.Person, err error) {
	err = s.db.conn(ctx).Raw(`WITH RECURSIVE chain AS (SELECT id, merged_into FROM person WHERE id = ?
			UNION SELECT p.id, p.merged_into FROM person p JOIN chain c ON p.id = c.merged_into)
		SELECT id FROM chain WHERE merged_into IS NULL`, id).Row().Scan(&root)
	return root, classify(err)
}

// Undo makes two people again of a merge: what it moved, and what has arrived since at the identities that it moved, belongs to the
// other person again. NOT_FOUND if the person has no such merge; the error of allow if that returns one.
func (s *People) Undo(
	ctx context.Context, of ident.Workspace, into ident.Person, id ident.PersonMerge, at time.Time, allow func(person.Merge) error,
) error {
	return s.db.WithinTx(ctx, func(ctx context.Context) error {
		if err := s.lockAccounts(ctx, of); err != nil {
			return err
		}
		var row struct {
			Merge mergeRow `gorm:"embedded"`
			Moved string
		}
		err := s.db.conn(ctx).Table("person_merge").Select("id, into_id, from_id, at, undone_at, moved").
			Where("workspace_id = ? AND id = ? AND into_id IN ("+family+")", of, id, into).Clauses(locking("FOR UPDATE")).Take(&row).Error
		if err != nil {
			return rowError(err, "merge")
		}
		m := fromMergeRow(row.Merge)
		if err := allow(m); err != nil {
			return err
		}
		var record moved
		if err := json.Unmarshal([]byte(row.Moved), &record); err != nil {
			return err
		}
		holder, err := s.root(ctx, m.IntoID)
		if err != nil {
			return err
		}
		now, _, err := s.pair(ctx, of, holder, m.FromID)
		if err != nil {
			return err
		}
		if err := s.apart(ctx, record, holder, m.FromID); err != nil {
			return err
		}
		if err := s.merged(ctx, now.Without(record.Before, record.After), m.FromID, ident.Person{}); err != nil {
			return err
		}
		return classify(s.db.conn(ctx).Table("person_merge").Where("id = ?", m.ID).Update("undone_at", at).Error)
	})
}

// apart moves back what a merge moved.
func (s *People) apart(ctx context.Context, record moved, holder, to ident.Person) error {
	for _, table := range originTables() {
		err := s.db.conn(ctx).Exec(`UPDATE `+table+` SET person_id = ? WHERE person_id = ? AND origin = ANY(CAST(? AS uuid[]))`,
			to, holder, textArray(record.Origins)).Error
		if err != nil {
			return classify(err)
		}
	}
	for table, ids := range record.Rows {
		if !slices.Contains(ownedTables(), table) {
			continue
		}
		err := s.db.conn(ctx).Exec(`UPDATE `+table+` SET person_id = ? WHERE person_id = ? AND id = ANY(CAST(? AS uuid[]))`,
			to, holder, textArray(ids)).Error
		if err != nil {
			return classify(err)
		}
	}
	return nil
}

package postgres

import (
	"context"
	"strings"
	"time"

	"gorm.io/gorm"

	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/person"
	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/kernel/email"
	"fencepost.internal/shared/kernel/ident"
)

// People stores the people whom workspaces know.
type People struct {
	db       *DB
	channels []ident.Channel // nil: of every channel
}

// NewPeople returns the store.
func NewPeople(db *DB) *People { return &People{db: db} }

// For returns the store for a member who is limited to channels: it has the people who wrote to them. Nil: everyone.
func (s *People) For(channels []ident.Channel) *People { return &People{db: s.db, channels: channels} }

// Listed is a person with what a list shows.
type Listed struct {
	ID         ident.Person
	Name       string // by a member or, otherwise, by the network that saw the person last
	Username   string
	Networks   []channel.Network
	OptedOutAt time.Time
	LastAt     time.Time // of the last conversation that the member sees; zero: there is none
}

// Called returns what to call the person.
func (l Listed) Called() string { return person.Call(l.Name, l.Username) }

type listedRow struct {
	ID         ident.Person
	Name       string
	Username   string
	Networks   textArray
	OptedOutAt *time.Time
	LastAt     *time.Time
}

func fromListedRow(r listedRow) Listed {
	return Listed{
		ID: r.ID, Name: r.Name, Username: r.Username, Networks: fromArray[channel.Network](r.Networks),
		OptedOutAt: value(r.OptedOutAt), LastAt: value(r.LastAt),
	}
}

// PeopleFilter selects people. Zero members select nothing.
type PeopleFilter struct {
	Search post.Search  // in names, user names and numbers
	Before ident.Person // the last one of the page before
	Limit  int
}

// query returns the people of a workspace who are no one else.
func (s *People) query(ctx context.Context, of ident.Workspace) *gorm.DB {
	seen, only := "", []any{}
	if s.channels != nil {
		seen, only = " AND v.channel_id = ANY(CAST(? AS uuid[]))", []any{idArray(s.channels)}
	}
	query := s.db.conn(ctx).Table("person p").
		Joins(`LEFT JOIN LATERAL (SELECT i.name, i.username FROM person_identity i WHERE i.person_id = p.id ORDER BY i.name || i.username = '', i.seen_at DESC LIMIT 1) i ON true`).
		Joins(`LEFT JOIN LATERAL (SELECT max(v.last_at) AS last_at FROM conversation v WHERE v.person_id = p.id`+seen+`) v ON true`, only...).
		Select(`p.id, COALESCE(NULLIF(p.name, ''), i.name, '') AS name, COALESCE(i.username, '') AS username, p.opted_out_at, v.last_at,
			ARRAY(SELECT DISTINCT n.network FROM person_identity n WHERE n.person_id = p.id ORDER BY 1) AS networks`).
		Where("p.workspace_id = ? AND p.merged_into IS NULL AND p.erased_at IS NULL", of)
	if s.channels != nil {
		query = query.Where("v.last_at IS NOT NULL")
	}
	return query
}

// found is the subquery of the people whom a search finds, with its parameters.
func found(of ident.Workspace, search post.Search) (subquery string, params map[string]any) {
	params = map[string]any{"workspace": of}
	identities, people := inIdentities(search), inPeople(search)
	identities.into(params)
	return `SELECT person_id FROM person_identity WHERE ` + strings.Join(append(identities.conditions(), identities.index()), ` AND `) +
		` UNION SELECT id FROM person WHERE ` + strings.Join(append(people.conditions(), people.index()), ` AND `), params
}

// List returns people of a workspace, those who wrote for the first time last are first.
func (s *People) List(ctx context.Context, of ident.Workspace, f PeopleFilter) ([]Listed, error) {
	var rows []listedRow
	err := s.list(ctx, of, f).Find(&rows).Error
	return each(rows, fromListedRow), classify(err)
}

func (s *People) list(ctx context.Context, of ident.Workspace, f PeopleFilter) *gorm.DB {
	query := s.query(ctx, of)
	if !f.Search.IsZero() {
		among, params := found(of, f.Search)
		query = query.Where("p.id IN ("+among+")", params)
	}
	if !f.Before.IsZero() {
		query = query.Where("p.id < ?", f.Before)
	}
	return query.Order("p.id DESC").Limit(f.Limit)
}

// Alike returns the other people with a phone number or a mail address of a person, at most limit of them.
func (s *People) Alike(ctx context.Context, p person.Person, limit int) ([]Listed, error) {
	phones, address := toArray(p.Phones()), email.Address(p.Mail).Folded()
	var rows []listedRow
	err := s.query(ctx, p.WorkspaceID).Where("p.id <> @id AND p.id IN ("+`
			SELECT id FROM person WHERE workspace_id = @workspace AND phone <> '' AND phone = ANY(CAST(@phones AS text[]))
			UNION SELECT person_id FROM person_identity WHERE workspace_id = @workspace AND phone <> '' AND phone = ANY(CAST(@phones AS text[]))
			UNION SELECT id FROM person WHERE workspace_id = @workspace AND mail <> '' AND lower(mail) = @mail)`,
		map[string]any{"id": p.ID, "workspace": p.WorkspaceID, "phones": phones, "mail": address}).
		Order("p.id").Limit(limit).Find(&rows).Error
	return each(rows, fromListedRow), classify(err)
}

type personRow struct {
	ID          ident.Person
	WorkspaceID ident.Workspace
	Name        string
	Phone       string
	Mail        string
	Note        string
	OptedOutAt  *time.Time
	MergedInto  *ident.Person
	ErasedAt    *time.Time
	CreatedAt   time.Time
}

func fromPersonRow(r personRow) person.Person {
	return person.Person{
		ID: r.ID, WorkspaceID: r.WorkspaceID, Name: r.Name, Phone: r.Phone, Mail: r.Mail, Note: r.Note, OptedOutAt: value(r.OptedOutAt),
		MergedInto: value(r.MergedInto), ErasedAt: value(r.ErasedAt), CreatedAt: r.CreatedAt,
	}
}

// Get returns a person; NOT_FOUND when the workspace has no such person, or the member sees no conversation with the person. One who
// was merged is returned as such, without identities.
func (s *People) Get(ctx context.Context, of ident.Workspace, id ident.Person) (person.Person, error) {
	query := s.db.conn(ctx).Table("person p").Where("p.workspace_id = ? AND p.id = ?", of, id)
	if s.channels != nil {
		query = query.Where(`(p.merged_into IS NOT NULL OR EXISTS (SELECT FROM conversation v
			WHERE v.person_id = p.id AND v.channel_id = ANY(CAST(? AS uuid[]))))`, idArray(s.channels))
	}
	var row personRow
	if err := query.Take(&row).Error; err != nil {
		return person.Person{}, rowError(err, "person")
	}
	p := fromPersonRow(row)
	var rows []person.Identity
	err := s.db.conn(ctx).Table("person_identity").Select("network, value, name, username, phone, seen_at").
		Where("person_id = ?", id).Order("seen_at DESC, value").Find(&rows).Error
	p.Identities = rows
	return p, classify(err)
}

// Describe stores what members wrote about a person. NOT_FOUND if the person was merged or erased meanwhile.
func (s *People) Describe(ctx context.Context, p person.Person) error {
	return affected(s.db.conn(ctx).Table("person").Where("id = ? AND merged_into IS NULL AND erased_at IS NULL", p.ID).
		Updates(personColumns(p)), "person")
}

func personColumns(p person.Person) map[string]any {
	return map[string]any{
		"name": p.Name, "phone": p.Phone, "mail": p.Mail, "note": p.Note, "opted_out_at": optional(p.OptedOutAt),
	}
}

// optOut marks the person of a conversation as one who wants no messages.
func optOut(ctx context.Context, db *DB, of ident.Conversation) error {
	return classify(db.conn(ctx).Table("person").Where("id = (SELECT person_id FROM conversation WHERE id = ?)", of).
		Update("opted_out_at", dbNow).Error)
}

// LeadOfPerson is a lead with what the page of a person shows.
type LeadOfPerson struct {
	ID    ident.Lead
	Name  string
	Stage string
}

// Leads returns the leads of a person, newest first.
func (s *People) Leads(ctx context.Context, of person.Person) (found []LeadOfPerson, err error) {
	err = s.db.conn(ctx).Table("lead").Select("id, name, stage").Where("workspace_id = ? AND person_id = ?", of.WorkspaceID, of.ID).
		Order("id DESC").Find(&found).Error
	return found, classify(err)
}

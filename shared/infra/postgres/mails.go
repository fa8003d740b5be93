package postgres

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"gorm.io/gorm"

	"fencepost.internal/shared/domain/mail"
	"fencepost.internal/shared/flow"
	"fencepost.internal/shared/infra/secretbox"
	"fencepost.internal/shared/kernel/email"
	"fencepost.internal/shared/kernel/ident"
)

// Mails stores the mails that are not sent yet.
type Mails struct {
	db      *DB
	box     *secretbox.Keyring
	noMails bool
}

// NewMails returns the store.
func NewMails(db *DB, box *secretbox.Keyring) *Mails { return &Mails{db: db, box: box} }

// WithoutMails returns the store for an installation without a mail server, where people are notified by the other ways.
func (s *Mails) WithoutMails() *Mails { return &Mails{db: s.db, box: s.box, noMails: true} }

func mailAAD(id ident.Mail) secretbox.AAD {
	return secretbox.AAD{Kind: "mail", Workspace: "installation", Record: id.String(), Field: "content"}
}

// Enqueue stores a mail and the message that starts its workflow, in the transaction of ctx.
func (s *Mails) Enqueue(ctx context.Context, m mail.Mail) error {
	content, err := json.Marshal(m.Content) //nolint:gosec // sealed below
	if err != nil {
		return fmt.Errorf("encode a mail: %w", err)
	}
	sealed, err := s.box.Seal(content, mailAAD(m.ID))
	if err != nil {
		return err
	}
	return s.db.WithinTx(ctx, func(ctx context.Context) error {
		err := s.db.conn(ctx).Table("mail").Create(map[string]any{
			"id": m.ID, "workspace_id": m.WorkspaceID, "kind": string(m.Kind), "content": sealed, "created_at": m.CreatedAt,
			"expires_at": m.ExpiresAt, "way": string(m.Way), "held_until": optional(m.HeldUntil),
		}).Error
		if err != nil {
			return classify(err)
		}
		return enqueue(ctx, s.db, flow.MailInput{MailID: m.ID, WorkspaceID: m.WorkspaceID, Kind: m.Kind, Way: hooked(m.Way)}.Message())
	})
}

// hooked returns the way as the messages of workflows have it.
func hooked(way mail.Way) mail.Way {
	if way == mail.ByMail {
		return ""
	}
	return way
}

type mailRow struct {
	ID          ident.Mail
	WorkspaceID *ident.Workspace
	Kind        string
	Content     []byte
	CreatedAt   time.Time
	ExpiresAt   time.Time
	Way         string
	HeldUntil   *time.Time
}

// Load returns a mail; NOT_FOUND if it was sent or given up. If the content cannot be decrypted, it returns the mail
// without it, and the error: the mail has an end all the same.
func (s *Mails) Load(ctx context.Context, id ident.Mail) (mail.Mail, error) {
	var rows []mailRow
	err := s.db.conn(ctx).Table("mail").Select("id, workspace_id, kind, content, created_at, expires_at, way, held_until").
		Where("id = ?", id).Find(&rows).Error
	if err != nil {
		return mail.Mail{}, classify(err)
	}
	if len(rows) == 0 {
		return mail.Mail{}, notFound("mail")
	}
	r := rows[0]
	m := mail.Mail{
		ID: r.ID, Kind: mail.Kind(r.Kind), WorkspaceID: value(r.WorkspaceID), CreatedAt: r.CreatedAt, ExpiresAt: r.ExpiresAt,
		Way: mail.Way(r.Way), HeldUntil: value(r.HeldUntil),
	}
	plain, err := s.box.Open(r.Content, mailAAD(r.ID))
	if err == nil {
		err = json.Unmarshal(plain, &m.Content)
	}
	return m, err
}

// Postpone records a failed try and the wait before the next one.
func (s *Mails) Postpone(ctx context.Context, id ident.Mail, wait time.Duration, cause string) error {
	return classify(s.db.conn(ctx).Table("mail").Where("id = ?", id).Updates(map[string]any{
		"tries": gorm.Expr("tries + 1"), "last_error": cause, "next_at": dbIn(wait),
	}).Error)
}

// Delete deletes a mail that was sent or given up. A missing mail is not an error.
func (s *Mails) Delete(ctx context.Context, id ident.Mail) error {
	return classify(s.db.conn(ctx).Table("mail").Where("id = ?", id).Delete(nil).Error)
}

// Waiting returns the number of mails that are not sent yet, and the age of the oldest.
func (s *Mails) Waiting(ctx context.Context) (count int, oldest time.Duration, err error) {
	var row struct {
		Count  int
		Oldest float64
	}
	err = s.db.conn(ctx).Table("mail").
		Select("count(*) AS count, COALESCE(EXTRACT(EPOCH FROM now() - min(created_at)), 0) AS oldest").Take(&row).Error
	return row.Count, time.Duration(max(0, row.Oldest) * float64(time.Second)), classify(err)
}

// AddressOf returns the address of the user who may sign in with an address, as it is stored; empty if there is none.
func (s *Mails) AddressOf(ctx context.Context, address email.Address) (email.Address, error) {
	var stored email.Address
	err := s.db.conn(ctx).Table("app_user").Select("email").Where(sameEmail+" AND disabled_at IS NULL", address.Folded()).
		Scan(&stored).Error
	return stored, classify(err)
}

package postgres

import (
	"context"
	"crypto/ecdh"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"slices"
	"time"

	"gorm.io/gorm/clause"

	"fencepost.internal/shared/domain/mail"
	"fencepost.internal/shared/kernel/ident"
)

// SetPlaceAddress stores the new address of a place.
func (s *Mails) SetPlaceAddress(ctx context.Context, id ident.Place, address string) error {
	sealed, err := s.box.Seal([]byte(address), placeAAD(id))
	if err != nil {
		return err
	}
	return classify(s.db.conn(ctx).Table("notice_way").Where("id = ?", id).Update("address", sealed).Error)
}

// Mention notifies members of a workspace that a comment names them, in the transaction of ctx.
func (s *Mails) Mention(ctx context.Context, workspace ident.Workspace, named []ident.User, content mail.Content, now time.Time) error {
	people, err := s.readers(ctx, workspace, mail.Mentioned)
	if err != nil {
		return err
	}
	for _, p := range people {
		if !slices.Contains(named, p.ID) {
			continue
		}
		if _, err := s.inform(ctx, news{mail.Mentioned, workspace, now}, p, content); err != nil {
			return err
		}
	}
	return nil
}

// AddCode stores a code by its hash, and deletes those that have ended.
func (s *Mails) AddCode(ctx context.Context, hash [sha256.Size]byte, c mail.Code) error {
	if err := s.db.conn(ctx).Exec("DELETE FROM notice_code WHERE expires_at <= now()").Error; err != nil {
		return classify(err)
	}
	return classify(s.db.conn(ctx).Table("notice_code").Create(map[string]any{
		"hash": hash[:], "user_id": c.UserID, "workspace_id": optional(c.WorkspaceID), "expires_at": c.ExpiresAt,
	}).Error)
}

// ArriveCode stores the chat in which a person started the bot with a code. It does nothing for an unknown code.
func (s *Mails) ArriveCode(ctx context.Context, hash [sha256.Size]byte, chat, name string, now time.Time) error {
	return classify(s.db.conn(ctx).Table("notice_code").Where("hash = ? AND expires_at > ?", hash[:], now).
		Updates(map[string]any{"chat": chat, "name": name}).Error)
}

// TakeCode deletes a person's code with which the bot was started, and returns it; NOT_FOUND if it was not.
func (s *Mails) TakeCode(ctx context.Context, hash [sha256.Size]byte, of ident.User, now time.Time) (mail.Code, error) {
	var rows []struct {
		UserID      ident.User
		WorkspaceID *ident.Workspace
		Chat, Name  string
		ExpiresAt   time.Time
	}
	err := s.db.conn(ctx).Raw(`DELETE FROM notice_code WHERE hash = ? AND user_id = ? AND chat IS NOT NULL AND expires_at > ?
		RETURNING user_id, workspace_id, chat, name, expires_at`, hash[:], of, now).Scan(&rows).Error
	if err != nil {
		return mail.Code{}, classify(err)
	}
	if len(rows) == 0 {
		return mail.Code{}, notFound("code")
	}
	r := rows[0]
	return mail.Code{UserID: r.UserID, WorkspaceID: value(r.WorkspaceID), Chat: r.Chat, Name: r.Name, ExpiresAt: r.ExpiresAt}, nil
}

// pushKey is the name under which the key for push services is stored.
const pushKey = "push key"

// PushKey returns the key by which push services know this installation. The first call creates it.
func (s *Mails) PushKey(ctx context.Context) (*ecdh.PrivateKey, error) {
	for {
		var stored [][]byte
		err := s.db.conn(ctx).Table("app_credential").Where("name = ?", pushKey).Pluck("value", &stored).Error
		if err != nil {
			return nil, classify(err)
		}
		if len(stored) > 0 {
			plain, err := s.box.Open(stored[0], appAAD(pushKey))
			if err != nil {
				return nil, err
			}
			raw, err := base64.RawURLEncoding.DecodeString(string(plain))
			if err != nil {
				return nil, err
			}
			return ecdh.P256().NewPrivateKey(raw)
		}
		key, err := ecdh.P256().GenerateKey(rand.Reader)
		if err != nil {
			return nil, err
		}
		sealed, err := s.box.Seal([]byte(base64.RawURLEncoding.EncodeToString(key.Bytes())), appAAD(pushKey))
		if err != nil {
			return nil, err
		}
		// Of two programs that create it, one is first.
		err = s.db.conn(ctx).Table("app_credential").Clauses(clause.OnConflict{DoNothing: true}).
			Create(map[string]any{"name": pushKey, "value": sealed, "updated_at": dbNow, "updated_by": "Fencepost"}).Error
		if err != nil {
			return nil, classify(err)
		}
	}
}

package postgres

import (
	"context"
	"encoding/json"
	"slices"
	"time"

	"fencepost.internal/shared/domain/mail"
	"fencepost.internal/shared/infra/secretbox"
	"fencepost.internal/shared/kernel/email"
	"fencepost.internal/shared/kernel/ident"
)

// reader is a member who may be notified about a workspace.
type reader struct {
	ID         ident.User
	Email      email.Address
	Workspace  string
	Role       string
	Channels   *textArray // to which the member is limited; nil: every channel
	Off        bool       // no mails of this kind
	Unlisted   bool       // not shown in the application
	QuietFrom  int
	QuietUntil int
	QuietZone  string

	SecondFactor bool
}

// readers returns the members of a workspace, with their choices about a kind.
func (s *Mails) readers(ctx context.Context, id ident.Workspace, kind mail.Kind) ([]reader, error) {
	var found []reader
	err := s.db.conn(ctx).Table("workspace_member m").Joins("JOIN app_user u ON u.id = m.user_id").
		Joins("JOIN workspace w ON w.id = m.workspace_id").
		Select(`u.id, u.email, w.name AS workspace, m.role, m.channels, ? = ANY(u.mails_off) AS off, ? = ANY(u.notices_off) AS unlisted,
			u.quiet_from, u.quiet_until, u.quiet_zone, u.second_factor`, string(kind), string(kind)).
		Where("m.workspace_id = ? AND u.disabled_at IS NULL", id).Order("u.email").Scan(&found).Error
	return found, classify(err)
}

// news has the kind, the workspace and the time of a message.
type news struct {
	kind      mail.Kind
	workspace ident.Workspace
	now       time.Time
}

// inform notifies a person by each way that the person has chosen, outside of the quiet hours. Only the mail gets the secret of
// the content. It returns the number of messages.
func (s *Mails) inform(ctx context.Context, n news, to reader, content mail.Content) (sent int, err error) {
	secret := content.Secret
	content.Workspace, content.Secret = to.Workspace, ""
	if !to.Unlisted {
		if err := s.list(ctx, n, to.ID, content); err != nil {
			return 0, err
		}
	}
	held := mail.Quiet{From: to.QuietFrom, Until: to.QuietUntil, Zone: to.QuietZone}.End(n.now)
	if !to.Off && !s.noMails {
		content.To, content.Secret = to.Email, secret
		if err := s.Enqueue(ctx, n.message(content, mail.ByMail, held)); err != nil {
			return 0, err
		}
		content.To, content.Secret, sent = "", "", 1
	}
	places, err := s.Places(ctx, to.ID, ident.Workspace{})
	if err != nil {
		return sent, err
	}
	at, err := s.post(ctx, n, places, content, held)
	return sent + at, err
}

// announce notifies the places of the workspace.
func (s *Mails) announce(ctx context.Context, n news, content mail.Content) (int, error) {
	places, err := s.Places(ctx, ident.User{}, n.workspace)
	if err != nil {
		return 0, err
	}
	return s.post(ctx, n, places, content, time.Time{})
}

func (s *Mails) post(ctx context.Context, n news, places []mail.Place, content mail.Content, held time.Time) (sent int, err error) {
	for _, p := range places {
		if !slices.Contains(p.Kinds, n.kind) {
			continue
		}
		content.Hook, content.Place = p.Address, p.ID
		if err := s.Enqueue(ctx, n.message(content, p.Way, held)); err != nil {
			return sent, err
		}
		sent++
	}
	return sent, nil
}

func (n news) message(content mail.Content, way mail.Way, held time.Time) mail.Mail {
	m := mail.New(n.kind, n.workspace, content, n.now, time.Time{})
	m.Way = way
	if !held.IsZero() {
		m.HeldUntil, m.ExpiresAt = held, held.Add(mail.Timeout)
	}
	return m
}

// list adds a message to those that the application shows.
func (s *Mails) list(ctx context.Context, n news, to ident.User, content mail.Content) error {
	text, err := json.Marshal(content) //nolint:gosec // G117: no secret is in a message to the application
	if err != nil {
		return err
	}
	return classify(s.db.conn(ctx).Table("notice").Create(map[string]any{
		"id": ident.New[ident.Mail](), "user_id": to, "workspace_id": n.workspace, "kind": string(n.kind), "content": string(text),
		"created_at": n.now,
	}).Error)
}

// Notice is a message that the application shows to a person.
type Notice struct {
	Kind      mail.Kind
	Content   mail.Content
	CreatedAt time.Time
	Read      bool
}

// Notices returns the newest messages of a person in a workspace.
func (s *Mails) Notices(ctx context.Context, to ident.User, workspace ident.Workspace, limit int) ([]Notice, error) {
	var rows []struct {
		Kind, Content string
		CreatedAt     time.Time
		Read          bool
	}
	err := s.db.conn(ctx).Table("notice").Select("kind, content, created_at, read_at IS NOT NULL AS read").
		Where("user_id = ? AND workspace_id = ?", to, workspace).Order("created_at DESC, id DESC").Limit(limit).Scan(&rows).Error
	if err != nil {
		return nil, classify(err)
	}
	found := make([]Notice, len(rows))
	for i, r := range rows {
		found[i] = Notice{Kind: mail.Kind(r.Kind), CreatedAt: r.CreatedAt, Read: r.Read}
		if err := json.Unmarshal([]byte(r.Content), &found[i].Content); err != nil {
			return nil, err
		}
	}
	return found, nil
}

// ReadNotices marks the messages of a person in a workspace as read.
func (s *Mails) ReadNotices(ctx context.Context, to ident.User, workspace ident.Workspace) error {
	return classify(s.db.conn(ctx).Table("notice").Where("user_id = ? AND workspace_id = ? AND read_at IS NULL", to, workspace).
		Update("read_at", dbNow).Error)
}

func placeAAD(id ident.Place) secretbox.AAD {
	return secretbox.AAD{Kind: "notice_way", Workspace: "installation", Record: id.String(), Field: "address"}
}

// Places returns the places of a person or, if the person is zero, of a workspace, in the order in which they were added.
func (s *Mails) Places(ctx context.Context, of ident.User, workspace ident.Workspace) ([]mail.Place, error) {
	var rows []struct {
		ID        ident.Place
		Way, Name string
		Address   []byte
		Kinds     textArray
		CreatedAt time.Time
	}
	query := s.db.conn(ctx).Table("notice_way").Select("id, way, name, address, kinds, created_at").Order("created_at, id")
	if of.IsZero() {
		query = query.Where("workspace_id = ?", workspace)
	} else {
		query = query.Where("user_id = ?", of)
	}
	if err := query.Scan(&rows).Error; err != nil {
		return nil, classify(err)
	}
	found := make([]mail.Place, len(rows))
	for i, r := range rows {
		address, err := s.box.Open(r.Address, placeAAD(r.ID))
		if err != nil {
			return nil, err
		}
		found[i] = mail.Place{
			ID: r.ID, Way: mail.Way(r.Way), Name: r.Name, Address: string(address), Kinds: fromArray[mail.Kind](r.Kinds), CreatedAt: r.CreatedAt,
		}
		if found[i].UserID = of; of.IsZero() {
			found[i].WorkspaceID = workspace
		}
	}
	return found, nil
}

// AddPlace stores a place.
func (s *Mails) AddPlace(ctx context.Context, p mail.Place) error {
	sealed, err := s.box.Seal([]byte(p.Address), placeAAD(p.ID))
	if err != nil {
		return err
	}
	columns := map[string]any{
		"id": p.ID, "way": string(p.Way), "name": p.Name, "address": sealed, "kinds": toArray(p.Kinds), "created_at": p.CreatedAt,
	}
	if p.UserID.IsZero() {
		columns["workspace_id"] = p.WorkspaceID
	} else {
		columns["user_id"] = p.UserID
	}
	return classify(s.db.conn(ctx).Table("notice_way").Create(columns).Error)
}

// SetPlaceKinds stores what a place gets.
func (s *Mails) SetPlaceKinds(ctx context.Context, id ident.Place, kinds []mail.Kind) error {
	return classify(s.db.conn(ctx).Table("notice_way").Where("id = ?", id).Update("kinds", toArray(kinds)).Error)
}

// RemovePlace deletes a place. What waits for it is still sent.
func (s *Mails) RemovePlace(ctx context.Context, id ident.Place) error {
	return classify(s.db.conn(ctx).Table("notice_way").Where("id = ?", id).Delete(nil).Error)
}

// Choices are what a person wants to be notified of, beside the places.
type Choices struct {
	MailsOff   []mail.Kind
	NoticesOff []mail.Kind // in the application
	Quiet      mail.Quiet
	Digests    []mail.Kind
	DigestHour int // of the day, in the zone of the quiet hours
}

// Choices returns what a person wants to be notified of.
func (s *Users) Choices(ctx context.Context, id ident.User) (Choices, error) {
	var off, unlisted, digests textArray
	var c Choices
	err := s.db.conn(ctx).Table("app_user").Select("mails_off, notices_off, quiet_from, quiet_until, quiet_zone, digests, digest_hour").
		Where("id = ?", id).Row().Scan(&off, &unlisted, &c.Quiet.From, &c.Quiet.Until, &c.Quiet.Zone, &digests, &c.DigestHour)
	c.Digests = fromArray[mail.Kind](digests)
	c.MailsOff, c.NoticesOff = fromArray[mail.Kind](off), fromArray[mail.Kind](unlisted)
	return c, classify(err)
}

// SetChoices stores what a person wants to be notified of.
func (s *Users) SetChoices(ctx context.Context, id ident.User, c Choices) error {
	return classify(s.db.conn(ctx).Table("app_user").Where("id = ?", id).Updates(map[string]any{
		"mails_off": toArray(c.MailsOff), "notices_off": toArray(c.NoticesOff), "quiet_from": c.Quiet.From,
		"quiet_until": c.Quiet.Until, "quiet_zone": c.Quiet.Zone, "digests": toArray(c.Digests), "digest_hour": c.DigestHour,
	}).Error)
}

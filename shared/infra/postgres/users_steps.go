package postgres

import (
	"context"
	"time"

	"gorm.io/gorm/clause"

	"fencepost.internal/shared/domain/user"
	"fencepost.internal/shared/kernel/ident"
)

type stepRow struct {
	Session   []byte
	Kind      string
	UserID    *ident.User
	Data      string
	ExpiresAt time.Time
}

func fromStepRow(r stepRow) user.Step {
	return user.Step{Kind: user.StepKind(r.Kind), UserID: value(r.UserID), Data: r.Data, ExpiresAt: r.ExpiresAt}
}

// Await stores a step of a sign-in that waits for the browser. It replaces one of the same kind.
func (s *Users) Await(ctx context.Context, session [32]byte, step user.Step) error {
	return classify(s.db.conn(ctx).Table("sign_in_step").Clauses(clause.OnConflict{
		Columns:   []clause.Column{{Name: "session"}, {Name: "kind"}},
		DoUpdates: clause.AssignmentColumns([]string{"user_id", "data", "expires_at"}),
	}).Create(&stepRow{
		Session: session[:], Kind: string(step.Kind), UserID: optional(step.UserID), Data: step.Data, ExpiresAt: step.ExpiresAt,
	}).Error)
}

// Awaited returns the step of a kind that waits for the browser; NOT_FOUND if there is none.
func (s *Users) Awaited(ctx context.Context, session [32]byte, kind user.StepKind, now time.Time) (user.Step, error) {
	var row stepRow
	err := s.db.conn(ctx).Table("sign_in_step").
		Where("session = ? AND kind = ? AND expires_at > ?", session[:], string(kind), now).Take(&row).Error
	return fromStepRow(row), rowError(err, "step")
}

// TakeStep is Awaited that also ends the step. Of concurrent calls, one gets it.
func (s *Users) TakeStep(ctx context.Context, session [32]byte, kind user.StepKind, now time.Time) (user.Step, error) {
	var row stepRow
	result := s.db.conn(ctx).Table("sign_in_step").Model(&row).Clauses(clause.Returning{}).
		Where("session = ? AND kind = ? AND expires_at > ?", session[:], string(kind), now).Delete(&row)
	if result.Error == nil && result.RowsAffected == 0 {
		return user.Step{}, notFound("step")
	}
	return fromStepRow(row), classify(result.Error)
}

// MoveSteps gives the steps of a browser to its new session.
func (s *Users) MoveSteps(ctx context.Context, from, to [32]byte) error {
	return classify(s.db.conn(ctx).Table("sign_in_step").Where("session = ?", from[:]).Update("session", to[:]).Error)
}

// EndSteps ends the steps of a browser.
func (s *Users) EndSteps(ctx context.Context, session [32]byte) error {
	return classify(s.db.conn(ctx).Table("sign_in_step").Where("session = ?", session[:]).Delete(nil).Error)
}

// PruneSteps deletes the steps that have expired.
func (s *Users) PruneSteps(ctx context.Context, now time.Time) error {
	return classify(s.db.conn(ctx).Table("sign_in_step").Where("expires_at <= ?", now).Delete(nil).Error)
}

// ConfirmedAt returns when the user of a session last proved their presence; zero if never.
func (s *Users) ConfirmedAt(ctx context.Context, hash [32]byte) (time.Time, error) {
	var at []*time.Time
	err := s.db.conn(ctx).Table("user_session").Where("hash = ?", hash[:]).Pluck("confirmed_at", &at).Error
	if err != nil || len(at) == 0 {
		return time.Time{}, classify(err)
	}
	return value(at[0]), nil
}

// Confirm records that the user of a session proved their presence.
func (s *Users) Confirm(ctx context.Context, hash [32]byte, now time.Time) error {
	return classify(s.db.conn(ctx).Table("user_session").Where("hash = ?", hash[:]).Update("confirmed_at", now).Error)
}

// EndOtherSessions ends every session of a user but one, and every sign-in of the user that waits for a step elsewhere.
func (s *Users) EndOtherSessions(ctx context.Context, id ident.User, except [32]byte) error {
	return s.db.WithinTx(ctx, func(ctx context.Context) error {
		err := s.db.conn(ctx).Table("user_session").Where("user_id = ? AND hash <> ?", id, except[:]).Delete(nil).Error
		if err == nil {
			err = s.db.conn(ctx).Table("sign_in_step").Where("user_id = ? AND session <> ?", id, except[:]).Delete(nil).Error
		}
		return classify(err)
	})
}

// RotateSession gives a session a new cookie; NOT_FOUND if it has ended.
func (s *Users) RotateSession(ctx context.Context, from, to [32]byte) error {
	result := s.db.conn(ctx).Table("user_session").Where("hash = ?", from[:]).Update("hash", to[:])
	return affected(result, "session")
}

// EndUserSessions ends every session of a user, and every sign-in of the user that waits for a step.
func (s *Users) EndUserSessions(ctx context.Context, id ident.User) error {
	return s.db.WithinTx(ctx, func(ctx context.Context) error {
		err := s.db.conn(ctx).Table("user_session").Where("user_id = ?", id).Delete(nil).Error
		if err == nil {
			err = s.db.conn(ctx).Table("sign_in_step").Where("user_id = ?", id).Delete(nil).Error
		}
		return classify(err)
	})
}

// ByID returns a user; NOT_FOUND if it does not exist.
func (s *Users) ByID(ctx context.Context, id ident.User) (user.User, error) {
	return oneUser(s.db.conn(ctx).Table("app_user").Select(userColumns).Where("id = ?", id))
}

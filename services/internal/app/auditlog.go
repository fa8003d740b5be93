package app

import (
	"context"
	"time"

	"fencepost.internal/shared/domain/audit"
	"fencepost.internal/shared/domain/credential"
	"fencepost.internal/shared/kernel/ident"
)

// record adds an entry to the audit log of the workspace, in the transaction of the action.
func (r *Records) record(ctx context.Context, p Principal, action audit.Action, subject, detail string) error {
	return r.auditLog.Insert(ctx, entryOf(p, r.now(), action, subject, detail))
}

// entryOf returns an entry of the audit log about an action of the client.
func entryOf(p Principal, at time.Time, action audit.Action, subject, detail string) audit.Entry {
	actor := string(p.Actor())
	switch {
	case p.Guest != nil:
		actor = p.Guest.Name + " (guest of " + p.Guest.Link.Name + ")"
	case !p.Person.ID.IsZero():
		actor = p.Person.User().String()
	case p.Key.ID.IsZero() && p.Program == "":
		actor = "operator"
	}
	return audit.Entry{
		ID: ident.New[ident.Audit](), WorkspaceID: p.WorkspaceID, At: at, UserID: p.Person.ID, Actor: actor, Action: action,
		Subject: subject, Detail: detail,
	}
}

// Record adds an entry to the audit log of the client's workspace, in the transaction of ctx.
func (r *Records) Record(ctx context.Context, p Principal, action audit.Action, subject, detail string) error {
	return r.record(ctx, p, action, subject, detail)
}

// recorded runs an action and adds its entry to the audit log, both or neither.
func (r *Records) recorded(
	ctx context.Context, p Principal, action audit.Action, subject, detail string, do func(ctx context.Context) error,
) error {
	return r.db.WithinTx(ctx, func(ctx context.Context) error {
		if err := do(ctx); err != nil {
			return err
		}
		return r.record(ctx, p, action, subject, detail)
	})
}

// AuditLog returns a page of the audit log before an entry, newest first. A zero entry starts at the newest. With kinds of
// objects, such as key, it returns only actions on them.
func (a *identityUseCases) AuditLog(
	ctx context.Context, p Principal, before ident.Audit, limit int, kinds ...string,
) ([]audit.Entry, error) {
	if err := p.Require(credential.AuditRead); err != nil {
		return nil, err
	}
	return a.auditLog.List(ctx, p.WorkspaceID, before, limit, kinds...)
}

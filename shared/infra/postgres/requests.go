package postgres

import (
	"context"
	"time"

	"fencepost.internal/shared/domain/credential"
	"fencepost.internal/shared/kernel/ident"
)

// Requests stores the log of the requests of API keys and programs.
type Requests struct{ db *DB }

// NewRequests returns the store.
func NewRequests(db *DB) *Requests { return &Requests{db: db} }

// requestEntry is an entry as it is sent to the database.
type requestEntry struct {
	ID           ident.Request    `json:"id"`
	WorkspaceID  ident.Workspace  `json:"workspace_id"`
	CredentialID ident.Credential `json:"credential_id"`
	At           time.Time        `json:"at"`
	Method       string           `json:"method"`
	Operation    string           `json:"operation"`
	Path         string           `json:"path"`
	Query        string           `json:"query"`
	Status       int              `json:"status"`
	Code         string           `json:"code"`
	DurationUS   int64            `json:"duration_us"`
	RequestID    string           `json:"request_id"`
	Client       string           `json:"client"`
	Agent        string           `json:"agent"`
}

// Add stores a batch. Entries that are stored already, and those of deleted credentials, are left out. It may be called again
// after any error.
func (s *Requests) Add(ctx context.Context, batch []credential.Request) error {
	list, err := jsonParam(each(batch, func(r credential.Request) requestEntry {
		return requestEntry{
			ID: r.ID, WorkspaceID: r.WorkspaceID, CredentialID: r.Credential, At: r.At, Method: r.Method, Operation: r.Operation,
			Path: r.Path, Query: r.Query, Status: r.Status, Code: r.Code, DurationUS: r.Duration.Microseconds(), RequestID: r.RequestID,
			Client: r.Client, Agent: r.Agent,
		}
	}))
	if err != nil {
		return err
	}
	return classify(s.db.conn(ctx).Exec(addRequests, map[string]any{"requests": list}).Error)
}

// RequestFilter selects entries. Zero fields do not filter.
type RequestFilter struct {
	Credential ident.Credential
	RequestID  string
	From, To   int // range of status codes, both included
	Before     ident.Request
	Limit      int
}

type requestLogRow struct {
	ID          ident.Request
	WorkspaceID ident.Workspace
	Credential  ident.Credential
	At          time.Time
	Method      string
	Operation   string
	Path        string
	Query       string
	Status      int
	Code        string
	DurationUS  int64 `gorm:"column:duration_us"`
	RequestID   string
	Client      string
	Agent       string
}

const requestLogColumns = `id, workspace_id, COALESCE(key_id, grant_id) AS credential, at, method, operation, path, query, status, code,
	duration_us, request_id, client, agent`

func fromRequestLogRow(r requestLogRow) credential.Request {
	return credential.Request{
		ID: r.ID, WorkspaceID: r.WorkspaceID, Credential: r.Credential, At: r.At, Method: r.Method, Operation: r.Operation,
		Path: r.Path, Query: r.Query, Status: r.Status, Code: r.Code, Duration: time.Duration(r.DurationUS) * time.Microsecond,
		RequestID: r.RequestID, Client: r.Client, Agent: r.Agent,
	}
}

// List returns the entries of a workspace, newest first.
func (s *Requests) List(ctx context.Context, workspace ident.Workspace, f RequestFilter) ([]credential.Request, error) {
	query := s.db.conn(ctx).Table("request_log").Select(requestLogColumns).Where("workspace_id = ?", workspace)
	if !f.Credential.IsZero() {
		query = query.Where("(key_id = ? OR grant_id = ?)", f.Credential, f.Credential)
	}
	if f.RequestID != "" {
		query = query.Where("request_id = ?", f.RequestID)
	}
	if f.From > 0 {
		query = query.Where("status >= ?", f.From)
	}
	if f.To > 0 {
		query = query.Where("status <= ?", f.To)
	}
	if !f.Before.IsZero() {
		query = query.Where("id < ?", f.Before)
	}
	var rows []requestLogRow
	err := query.Order("id DESC").Limit(f.Limit).Find(&rows).Error
	return each(rows, fromRequestLogRow), classify(err)
}

// Prune deletes up to limit entries that are older than age. It reads the oldest entries by their IDs alone, so that the log
// needs no index by time.
func (s *Requests) Prune(ctx context.Context, age time.Duration, limit int) (int, error) {
	oldest := s.db.conn(ctx).Table("request_log").Select("id, at").Order("id").Limit(limit).
		Clauses(locking("FOR UPDATE SKIP LOCKED"))
	expired := s.db.conn(ctx).Table("(?) AS oldest", oldest).Select("id").Where("at < ?", dbAgo(age))
	result := s.db.conn(ctx).Table("request_log").Where("id IN (?)", expired).Delete(nil)
	return int(result.RowsAffected), classify(result.Error)
}

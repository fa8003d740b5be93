package postgres

import (
	"context"
	"time"

	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/kernel/ident"
)

type labelRow struct {
	WorkspaceID ident.Workspace `json:"workspace_id"`
	Key         string          `json:"key"`
	Name        string          `json:"name"`
	Color       string          `json:"color"`
}

// toLabelRows returns labels, which a statement creates unless the workspace has them.
func toLabelRows(of ident.Workspace, names []string) []labelRow {
	rows := make([]labelRow, len(names))
	for i, name := range names {
		l := post.NewLabel(name)
		rows[i] = labelRow{WorkspaceID: of, Key: post.LabelKey(name), Name: l.Name, Color: l.Color}
	}
	return rows
}

// Labels stores the labels of workspaces.
type Labels struct{ db *DB }

// NewLabels returns the store.
func NewLabels(db *DB) *Labels { return &Labels{db: db} }

// Spelling returns the names of the workspace's labels with the keys, by their keys.
func (s *Labels) Spelling(ctx context.Context, of ident.Workspace, keys []string) (map[string]string, error) {
	var rows []labelRow
	err := s.db.conn(ctx).Table("label").Select("key, name").Where("workspace_id = ? AND key IN ?", of, keys).Find(&rows).Error
	names := make(map[string]string, len(rows))
	for _, r := range rows {
		names[r.Key] = r.Name
	}
	return names, classify(err)
}

// create creates labels, unless the workspace has them.
func (s *Labels) create(ctx context.Context, of ident.Workspace, names []string) error {
	if len(names) == 0 {
		return nil
	}
	rows, err := jsonParam(toLabelRows(of, names))
	if err != nil {
		return err
	}
	return classify(s.db.conn(ctx).Exec(`INSERT INTO label (workspace_id, key, name, color)
		SELECT x.workspace_id, x.key, x.name, x.color
		FROM jsonb_to_recordset(CAST(? AS jsonb)) AS x(workspace_id uuid, key text, name text, color text)
		ORDER BY x.key ON CONFLICT DO NOTHING`, rows).Error)
}

// LabelUse is a label with the numbers of the posts and of the files that have it.
type LabelUse struct {
	post.Label

	Posts, Files int
}

// List returns the labels of a workspace, by their names.
func (s *Labels) List(ctx context.Context, of ident.Workspace) ([]post.Label, error) {
	var labels []post.Label
	err := s.db.conn(ctx).Table("label").Select("name, color").Where("workspace_id = ?", of).Order("key").Scan(&labels).Error
	return labels, classify(err)
}

// Uses returns the labels of a workspace with their numbers, by their names. It reads all posts and files with a label.
func (s *Labels) Uses(ctx context.Context, of ident.Workspace) ([]LabelUse, error) {
	var rows []struct {
		Name, Color  string
		Posts, Files int
	}
	err := s.db.conn(ctx).Raw(`SELECT l.name, l.color, COALESCE(u.posts, 0) AS posts, COALESCE(f.files, 0) AS files FROM label l
		LEFT JOIN (SELECT k AS key, count(*) AS posts FROM post, unnest(label_keys) AS k
			WHERE workspace_id = @workspace AND label_keys <> '{}' GROUP BY k) u ON u.key = l.key
		LEFT JOIN (SELECT k AS key, count(*) AS files FROM media, unnest(label_keys) AS k
			WHERE workspace_id = @workspace AND label_keys <> '{}' GROUP BY k) f ON f.key = l.key
		WHERE l.workspace_id = @workspace ORDER BY l.key`, map[string]any{"workspace": of}).Scan(&rows).Error
	list := make([]LabelUse, len(rows))
	for i, r := range rows {
		list[i] = LabelUse{Label: post.Label{Name: r.Name, Color: r.Color}, Posts: r.Posts, Files: r.Files}
	}
	return list, classify(err)
}

// Save creates a label of a workspace, or changes the spelling and the color of the one with the same key.
func (s *Labels) Save(ctx context.Context, of ident.Workspace, l post.Label) error {
	return classify(s.db.conn(ctx).Exec(`INSERT INTO label (workspace_id, key, name, color) VALUES (?, ?, ?, ?)
		ON CONFLICT (workspace_id, key) DO UPDATE SET name = excluded.name, color = excluded.color`,
		of, post.LabelKey(l.Name), l.Name, l.Color).Error)
}

// Delete deletes the row of a label. Posts and files keep what Relabel has not changed.
func (s *Labels) Delete(ctx context.Context, of ident.Workspace, key string) error {
	return classify(s.db.conn(ctx).Exec("DELETE FROM label WHERE workspace_id = ? AND key = ?", of, key).Error)
}

// relabeled is the number of posts or files that Relabel changes in one transaction.
const relabeled = 200

// Relabel replaces a label of all posts and files of a workspace with another one, or removes it if the name is empty: some
// hundred at a time, so that no change of a post waits for long. It returns the number of changed posts.
func (s *Labels) Relabel(
	ctx context.Context, of ident.Workspace, key, name string, now time.Time, actor post.Actor,
) (int, error) {
	if err := s.relabelMedia(ctx, of, key, name); err != nil {
		return 0, err
	}
	total, after := 0, ident.Post{}
	for {
		var rows []postRow
		err := s.db.WithinTx(ctx, func(ctx context.Context) error {
			err := s.db.conn(ctx).Table("post").Select(postRead).
				Where("workspace_id = ? AND label_keys <> '{}' AND ? = ANY(label_keys)", of, key).
				Where("? <> ? OR NOT ? = ANY(labels)", key, post.LabelKey(name), name). // with the new spelling, a post is done
				Where("id > COALESCE(?, '00000000-0000-0000-0000-000000000000'::uuid)", after).Order("id").Limit(relabeled).
				Clauses(locking("FOR NO KEY UPDATE OF post")).Find(&rows).Error
			if err != nil || len(rows) == 0 {
				return classify(err)
			}
			return s.relabel(ctx, of, fromPostRows(rows), key, name, now, actor)
		})
		if err != nil || len(rows) == 0 {
			return total, err
		}
		total, after = total+len(rows), rows[len(rows)-1].ID
	}
}

func (s *Labels) relabelMedia(ctx context.Context, of ident.Workspace, key, name string) error {
	for {
		changed := s.db.conn(ctx).Exec(`UPDATE media SET (labels, label_keys) = (
				SELECT COALESCE(array_agg(label ORDER BY n), '{}'), COALESCE(array_agg(key ORDER BY n), '{}') FROM (
					SELECT DISTINCT ON (key) n, label, key FROM (
						SELECT n, CASE WHEN k = @old THEN @name ELSE l END AS label, CASE WHEN k = @old THEN @key ELSE k END AS key
						FROM unnest(labels, label_keys) WITH ORDINALITY AS own(l, k, n)
					) AS replaced WHERE key <> '' ORDER BY key, n
				) AS kept)
			WHERE id = ANY(ARRAY(SELECT id FROM media
				WHERE workspace_id = @workspace AND label_keys <> '{}' AND @old = ANY(label_keys)
					AND (@old <> @key OR NOT @name = ANY(labels)) -- with the new spelling, a file is done
				LIMIT @limit FOR NO KEY UPDATE))`,
			map[string]any{"workspace": of, "old": key, "name": name, "key": post.LabelKey(name), "limit": relabeled})
		if changed.Error != nil || changed.RowsAffected == 0 {
			return classify(changed.Error)
		}
	}
}

func (s *Labels) relabel(
	ctx context.Context, of ident.Workspace, posts []post.Post, key, name string, now time.Time, actor post.Actor,
) error {
	rows, events, timeline := make([]postRow, len(posts)), []eventRow{}, []timelineRow{}
	for i, p := range posts {
		change, err := p.Relabel(key, name, now, actor)
		if err != nil {
			return err
		}
		rows[i] = toPostRow(change.Post)
		for _, e := range change.Events {
			events = append(events, toEventRow(e))
		}
		timeline = append(timeline, toTimelineRows(change)...)
	}
	params := map[string]any{"workspace": of, "trace": traceOf(ctx)}
	for name, list := range map[string]any{"posts": rows, "events": events, "timeline": timeline} {
		raw, err := jsonParam(list)
		if err != nil {
			return err
		}
		params[name] = raw
	}
	return classify(s.db.conn(ctx).Exec(relabelPosts, params).Error)
}

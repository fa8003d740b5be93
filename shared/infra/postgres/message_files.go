package postgres

import (
	"context"
	"time"

	"gorm.io/gorm"

	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/inbox"
	"fencepost.internal/shared/domain/media"
	"fencepost.internal/shared/infra/retry"
	"fencepost.internal/shared/infra/secretbox"
	"fencepost.internal/shared/kernel/ident"
)

// MessageFiles stores the files of messages.
type MessageFiles struct {
	db       *DB
	channels *Channels
	loose    *Loose
}

// NewMessageFiles returns the store.
func NewMessageFiles(db *DB, box *secretbox.Keyring) *MessageFiles {
	return &MessageFiles{db: db, channels: NewChannels(db, box), loose: NewLoose(db)}
}

// WaitingFile is a file that is to be loaded from its network.
type WaitingFile struct {
	inbox.MessageFile

	MessageID ident.Message
	Reference string // with which the network returns it
	Tries     int    // that failed
	Age       time.Duration
	Channel   channel.Channel
}

// Claim reserves files that are to be loaded for the time of the lease.
func (s *MessageFiles) Claim(ctx context.Context, turn retry.Turn, lease time.Duration) (claimed []WaitingFile, err error) {
	err = s.db.WithinTx(ctx, func(ctx context.Context) error {
		var rows []struct {
			MessageID   ident.Message
			N           int
			NetworkRef  string
			Name        string
			Type        string
			Size        int64
			Tries       int
			WorkspaceID ident.Workspace
			ChannelID   ident.Channel
			Age         float64
		}
		err := s.db.conn(ctx).Raw(claimMessageFiles, turnParams(turn, map[string]any{"lease": lease.Seconds()})).Scan(&rows).Error
		if err != nil {
			return classify(err)
		}
		for _, r := range rows {
			found, err := s.channels.Get(ctx, r.WorkspaceID, r.ChannelID)
			if err != nil {
				return err
			}
			claimed = append(claimed, WaitingFile{
				MessageFile: inbox.MessageFile{N: r.N, Name: r.Name, Type: r.Type, Size: r.Size, State: inbox.Waiting},
				MessageID:   r.MessageID, Reference: r.NetworkRef, Tries: r.Tries, Channel: found,
				Age: time.Duration(r.Age * float64(time.Second)),
			})
		}
		return nil
	})
	return claimed, err
}

// Loaded stores a file whose objects are loose. ErrStale if the file is gone or was replaced, or an object was deleted.
func (s *MessageFiles) Loaded(ctx context.Context, f WaitingFile) error {
	return s.db.WithinRetriedTx(ctx, func(ctx context.Context) error {
		if err := s.changed(ctx, f.MessageID); err != nil {
			return err
		}
		for _, o := range []media.Object{f.Object, f.Thumbnail} {
			if !o.IsZero() {
				if err := s.loose.take(ctx, o.Key); err != nil {
					return err
				}
			}
		}
		return s.end(ctx, f, map[string]any{
			"state": string(inbox.Ready), "type": f.Type, "size": f.Object.Size, "width": f.Width, "height": f.Height,
			"object_key": f.Object.Key, "thumb_key": optional(f.Thumbnail.Key), "thumb_type": f.Thumbnail.ContentType, "fault": "",
		})
	})
}

// NotLoaded records why a file could not be loaded, and its state: Waiting to be tried again after the pause.
func (s *MessageFiles) NotLoaded(ctx context.Context, f WaitingFile, state inbox.FileState, fault string, pause time.Duration) error {
	return s.db.WithinRetriedTx(ctx, func(ctx context.Context) error {
		if err := s.changed(ctx, f.MessageID); err != nil {
			return err
		}
		return s.end(ctx, f, map[string]any{
			"state": string(state), "fault": fault, "tries": gorm.Expr("tries + 1"), "next_at": dbIn(pause),
		})
	})
}

// end changes a file that waits, unless it was replaced.
func (s *MessageFiles) end(ctx context.Context, f WaitingFile, columns map[string]any) error {
	changed := s.db.conn(ctx).Table("message_file").Where("message_id = ? AND n = ? AND network_ref = ? AND state = 'WAITING'",
		f.MessageID, f.N, f.Reference).Updates(columns)
	if changed.Error == nil && changed.RowsAffected == 0 {
		return ErrStale
	}
	return classify(changed.Error)
}

// changed shows the message again to people who look at its conversation. It comes first, so that its lock is taken first, as
// the batches of Inbound do.
func (s *MessageFiles) changed(ctx context.Context, id ident.Message) error {
	return classify(s.db.conn(ctx).Exec(`UPDATE conversation c SET changed_at = now() FROM message m
		WHERE m.id = ? AND c.id = m.conversation_id`, id).Error)
}

// Failed counts a request for a file that the network refused, of networks that refuse all after a number of them in an hour.
func (s *MessageFiles) Failed(ctx context.Context, of channel.Channel, most int) error {
	return classify(s.db.conn(ctx).Exec(`INSERT INTO message_file_failures AS x (network, account, failed, most, since)
		VALUES (?, ?, 1, ?, now()) ON CONFLICT (network, account) DO UPDATE SET most = excluded.most,
			failed = CASE WHEN x.since > now() - interval '1 hour' THEN x.failed + 1 ELSE 1 END,
			since = CASE WHEN x.since > now() - interval '1 hour' THEN x.since ELSE now() END`,
		string(of.Type), of.ExternalID, most).Error)
}

type messageFileRow struct {
	MessageID     ident.Message
	N             int
	Name          string
	Type          string
	Size          int64
	Width, Height int
	State         string
	Fault         string
	MediaID       *ident.Media
	ObjectKey     *string
	ThumbKey      *string
	ThumbType     string
}

// messageFileColumns are those of a file f and of its asset a, if it is one of an answer.
const messageFileColumns = `f.message_id, f.n, f.name, f.type, f.size, f.state, f.fault, f.media_id, COALESCE(a.width, f.width) AS width,
	COALESCE(a.height, f.height) AS height, COALESCE(f.object_key, a.object_key) AS object_key,
	COALESCE(f.thumb_key, a.thumbnail_key) AS thumb_key, COALESCE(a.thumbnail_type, f.thumb_type) AS thumb_type`

func fromMessageFileRow(r messageFileRow) inbox.MessageFile {
	return inbox.MessageFile{
		N: r.N, Name: r.Name, Type: r.Type, Size: r.Size, Width: r.Width, Height: r.Height, State: inbox.FileState(r.State),
		Fault: r.Fault, MediaID: value(r.MediaID), Object: media.Object{Key: value(r.ObjectKey), ContentType: r.Type, Size: r.Size},
		Thumbnail: media.Object{Key: value(r.ThumbKey), ContentType: r.ThumbType},
	}
}

// filesOf returns the files of messages, in their order.
func filesOf(ctx context.Context, db *DB, ids ...ident.Message) (map[ident.Message][]inbox.MessageFile, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	var rows []messageFileRow
	err := db.conn(ctx).Table("message_file f").Joins("LEFT JOIN media a ON a.id = f.media_id").Select(messageFileColumns).
		Where("f.message_id = ANY(CAST(? AS uuid[]))", idArray(ids)).Order("f.message_id, f.n").Find(&rows).Error
	files := make(map[ident.Message][]inbox.MessageFile)
	for _, r := range rows {
		files[r.MessageID] = append(files[r.MessageID], fromMessageFileRow(r))
	}
	return files, classify(err)
}

// fileRows returns the files of a message as the statement takes them.
func fileRows(files []inbox.File) []map[string]any {
	rows := make([]map[string]any, len(files))
	for i, f := range files {
		rows[i] = map[string]any{"n": i + 1, "ref": f.Reference, "name": f.Name, "type": f.Type, "size": f.Size}
	}
	return rows
}

// attach stores the files of an answer.
func attach(ctx context.Context, db *DB, m inbox.Message) error {
	for _, f := range m.Files {
		err := db.conn(ctx).Table("message_file").Create(map[string]any{
			"message_id": m.ID, "n": f.N, "name": f.Name, "type": f.Type, "size": f.Size, "width": f.Width, "height": f.Height,
			"media_id": f.MediaID, "state": string(inbox.Ready),
		}).Error
		if err != nil {
			return classify(err)
		}
	}
	return nil
}

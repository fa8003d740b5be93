package media

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"

	"fencepost.internal/shared/domain/media"
	"fencepost.internal/shared/flow"
	"fencepost.internal/shared/infra/egress"
	"fencepost.internal/shared/infra/objectstore"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/kernel/apperr"
	"fencepost.internal/shared/kernel/clock"
	"fencepost.internal/shared/kernel/failpoint"
)

// Downloader fetches a file from an untrusted address.
type Downloader interface {
	// Get starts the download of a file of at most limit bytes. Its error, and that of the body, is an *egress.Error.
	Get(ctx context.Context, address string, limit int64) (*egress.Download, error)
}

// ImporterConfig holds the dependencies of an Importer.
type ImporterConfig struct {
	Imports    *postgres.Imports
	Workspaces *postgres.Workspaces
	Usage      *postgres.Usage
	Loose      *postgres.Loose
	Objects    *objectstore.Store
	Media      *postgres.Media
	Downloader Downloader
	Box        Trimmer
	Folder     string // for temporary files; empty means the system default
	Clock      clock.Clock
	Logger     *slog.Logger
	Metrics    *Metrics
}

// Importer imports files by URL, and makes files of parts of videos. It is safe for concurrent use.
type Importer struct {
	ImporterConfig
	depot depot
}

// NewImporter returns an Importer, or an error if cfg is incomplete.
func NewImporter(cfg ImporterConfig) (*Importer, error) {
	if cfg.Imports == nil || cfg.Workspaces == nil || cfg.Usage == nil || cfg.Loose == nil || cfg.Objects == nil ||
		cfg.Downloader == nil || cfg.Media == nil || cfg.Box == nil || cfg.Clock == nil || cfg.Logger == nil || cfg.Metrics == nil {
		return nil, errors.New("media: every dependency of an Importer is required")
	}
	return &Importer{ImporterConfig: cfg, depot: depot{objects: cfg.Objects, loose: cfg.Loose, logger: cfg.Logger}}, nil
}

// Import downloads the file of an import, stores it and records the asset. A failure of the remote side ends the import
// and is recorded. An error means that our own database or storage failed and that the activity may be retried.
func (w *Importer) Import(ctx context.Context, in flow.MediaInput) (flow.MediaOutcome, error) {
	moved, stop := reportProgress(ctx)
	defer stop()
	i, err := w.Imports.Get(ctx, in.WorkspaceID, in.MediaID)
	if apperr.Is(err, apperr.NotFound) {
		return flow.MediaOutcome{Note: "The import was deleted."}, nil
	}
	if err != nil {
		return flow.MediaOutcome{}, err
	}
	if i.State != media.ImportRunning {
		return ended(i), nil
	}
	started := w.Clock.Now()
	asset, err := w.bring(ctx, i, moved)
	if refused, ok := errors.AsType[*refusal](err); ok {
		return w.refuse(ctx, i, refused)
	}
	if errors.Is(err, postgres.ErrStale) {
		return w.overtaken(ctx, i, err)
	}
	if err != nil {
		return flow.MediaOutcome{}, err
	}
	w.Metrics.imported(asset.Size)
	w.Logger.InfoContext(ctx, "media imported", slog.String("media_id", i.ID.String()),
		slog.String("workspace_id", i.WorkspaceID.String()),
		slog.String("content_type", asset.ContentType), slog.Int64("size", asset.Size),
		slog.Int64("duration_ms", w.Clock.Now().Sub(started).Milliseconds()))
	return flow.MediaOutcome{Note: "Imported: " + asset.ContentType + "."}, nil
}

// overtaken returns the outcome of an import that another run or its deadline ended meanwhile.
func (w *Importer) overtaken(ctx context.Context, i media.Import, stale error) (flow.MediaOutcome, error) {
	now, err := w.Imports.State(ctx, i.WorkspaceID, i.ID)
	switch {
	case apperr.Is(err, apperr.NotFound):
		return flow.MediaOutcome{Note: "The import was deleted."}, nil
	case err != nil:
		return flow.MediaOutcome{}, err
	case now.State == media.ImportRunning:
		return flow.MediaOutcome{}, fmt.Errorf("media: the record of the object was not written in time: %w", stale)
	}
	return ended(now), nil
}

func ended(i media.Import) flow.MediaOutcome {
	return flow.MediaOutcome{Note: "Ended: " + strings.ToLower(string(i.State)) + "."}
}

// bring fetches, stores and records the file. A *refusal ends the import.
func (w *Importer) bring(ctx context.Context, i media.Import, moved *progress) (media.Asset, error) {
	remaining := i.Deadline.Sub(w.Clock.Now())
	if remaining <= 0 {
		return media.Asset{}, tooLate()
	}
	within, cancel := context.WithTimeout(ctx, remaining)
	defer cancel()
	room, err := w.room(within, i)
	if err != nil {
		return media.Asset{}, err
	}
	obtain := w.fetch
	if !i.Trim.IsZero() {
		obtain = w.trim
	}
	asset, err := obtain(within, i, room, moved)
	if err != nil {
		return media.Asset{}, err
	}
	if err := failpoint.Hit(ctx, FailImportAfterStore); err != nil {
		return media.Asset{}, err
	}
	if err := w.record(ctx, asset, room); err != nil {
		return media.Asset{}, err
	}
	return asset, failpoint.Hit(ctx, FailImportAfterRecord)
}

// fetch copies the file from its URL to storage if its first bytes match a supported type.
func (w *Importer) fetch(ctx context.Context, i media.Import, room room, moved *progress) (media.Asset, error) {
	download, head, err := w.open(ctx, i.URL, room.limit, moved)
	if err != nil {
		return media.Asset{}, room.undelivered(err)
	}
	defer func() { _ = download.Body.Close() }()
	found, err := w.sniff(head, io.MultiReader(bytes.NewReader(head), io.TeeReader(download.Body, moved)))
	if errors.Is(err, errUnsupported) && isPage(download, head) {
		err = page(i.URL, download)
	}
	if err != nil {
		return media.Asset{}, room.undelivered(err)
	}
	defer found.close()
	if err := failpoint.Hit(ctx, FailImportBeforeStore); err != nil {
		return media.Asset{}, err
	}
	object, err := w.depot.put(ctx, found.content, download.Size, found.contentType, media.LooseLife)
	if err != nil {
		return media.Asset{}, w.notStored(ctx, object.Key, room, err)
	}
	name := cmp.Or(i.Name, media.CleanName(cmp.Or(download.Name, plainName(found.contentType)), found.contentType))
	return media.Asset{
		ID: i.ID, WorkspaceID: i.WorkspaceID, Name: name, Type: found.kind, ContentType: found.contentType,
		Size: object.Size, CreatedAt: i.CreatedAt, SourceURL: i.SourceURL, Files: media.Files{Original: object},
	}, nil
}

// open starts the download from an address and returns the first bytes of the file. For a share link, it tries the
// address of the file itself first, and the link if that returns no file.
func (w *Importer) open(
	ctx context.Context, address string, limit int64, moved *progress,
) (*egress.Download, []byte, error) {
	if file := direct(address); file != "" {
		download, head, err := w.get(ctx, file, limit, moved)
		switch {
		case err == nil && !isPage(download, head):
			return download, head, nil
		case err == nil:
			_ = download.Body.Close()
		case errors.Is(err, egress.ErrLimit):
			return nil, nil, err
		}
	}
	return w.get(ctx, address, limit, moved)
}

// get starts a download and reads the first bytes.
func (w *Importer) get(
	ctx context.Context, address string, limit int64, moved *progress,
) (*egress.Download, []byte, error) {
	download, err := w.Downloader.Get(ctx, address, limit)
	if err != nil {
		return nil, nil, err
	}
	head := make([]byte, media.HeadSize)
	n, err := io.ReadFull(io.TeeReader(download.Body, moved), head)
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		_ = download.Body.Close()
		return nil, nil, err
	}
	return download, head[:n], nil
}

// notStored distinguishes a download that was cut off, which is the remote side's fault, from a failure of our storage.
func (w *Importer) notStored(ctx context.Context, key string, room room, err error) error {
	if _, remote := errors.AsType[*egress.Error](err); !remote {
		return err
	}
	w.depot.discard(ctx, key)
	return room.undelivered(err)
}

// record assigns the object to its asset. It ignores the import's deadline, because the object is already stored.
func (w *Importer) record(ctx context.Context, asset media.Asset, room room) error {
	within, cancel := context.WithTimeout(context.WithoutCancel(ctx), recordTimeout)
	defer cancel()
	err := w.Imports.Finish(within, asset, room.limits)
	switch {
	case apperr.Is(err, apperr.QuotaExceeded): // another upload used up the quota first
		w.depot.discard(ctx, asset.Files.Original.Key)
		return quota(err)
	case errors.Is(err, postgres.ErrStale):
		w.depot.discard(ctx, asset.Files.Original.Key)
	}
	return err
}

package media

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"log/slog"
	"slices"
	"time"

	"go.temporal.io/sdk/activity"

	"fencepost.internal/shared/domain/media"
	"fencepost.internal/shared/flow"
	"fencepost.internal/shared/infra/mediabox"
	"fencepost.internal/shared/infra/objectstore"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/kernel/apperr"
	"fencepost.internal/shared/kernel/clock"
	"fencepost.internal/shared/kernel/failpoint"
)

// Box opens untrusted files.
type Box interface {
	// Render probes a file and creates its thumbnail. It returns a *mediabox.Failure if the file itself is at fault.
	Render(ctx context.Context, path string) (mediabox.Result, error)
	Stripper
}

// ProcessorConfig holds the dependencies of a Processor.
type ProcessorConfig struct {
	Media   *postgres.Media
	Loose   *postgres.Loose
	Objects *objectstore.Store
	Box     Box
	Folder  string // for temporary files; empty means the system default
	Clock   clock.Clock
	Logger  *slog.Logger
	Metrics *Metrics
}

// Processor processes uploaded and imported files. It is safe for concurrent use.
type Processor struct {
	ProcessorConfig
	depot depot
}

// NewProcessor returns a Processor, or an error if cfg is incomplete.
func NewProcessor(cfg ProcessorConfig) (*Processor, error) {
	if cfg.Media == nil || cfg.Loose == nil || cfg.Objects == nil || cfg.Box == nil || cfg.Clock == nil ||
		cfg.Logger == nil || cfg.Metrics == nil {
		return nil, errors.New("media: every dependency of a Processor is required")
	}
	return &Processor{ProcessorConfig: cfg, depot: depot{objects: cfg.Objects, loose: cfg.Loose, logger: cfg.Logger}}, nil
}

// Process probes a file, creates its thumbnail and its published form, and records all results at once. Faults of the
// file are recorded too. An error means that our own database, storage or machine failed and that the activity may be
// retried.
func (p *Processor) Process(ctx context.Context, in flow.MediaInput) (flow.MediaOutcome, error) {
	moved, stop := reportProgress(ctx)
	defer stop()
	asset, outcome, err := p.waiting(ctx, in)
	if err != nil || outcome != nil {
		return value(outcome), err
	}
	asset = afresh(asset)
	started := p.Clock.Now()
	if err := p.look(ctx, &asset, moved); err != nil {
		return flow.MediaOutcome{}, err
	}
	if err := failpoint.Hit(ctx, FailProcessBeforeRecord); err != nil {
		return flow.MediaOutcome{}, err
	}
	return p.record(ctx, asset, started)
}

func value(outcome *flow.MediaOutcome) flow.MediaOutcome {
	if outcome == nil {
		return flow.MediaOutcome{}
	}
	return *outcome
}

// waiting returns an unprocessed asset. If there is nothing to do, it returns an outcome instead.
func (p *Processor) waiting(ctx context.Context, in flow.MediaInput) (media.Asset, *flow.MediaOutcome, error) {
	asset, err := p.Media.Get(ctx, in.WorkspaceID, in.MediaID)
	switch {
	case apperr.Is(err, apperr.NotFound):
		return asset, &flow.MediaOutcome{Note: "The asset was deleted."}, nil
	case err != nil:
		return asset, nil, err
	case asset.Processed():
		return asset, &flow.MediaOutcome{Note: "The file was already processed."}, nil
	}
	return asset, nil, nil
}

// afresh returns the asset without the results of earlier processing. An operator may request processing again, and a
// result that does not reappear must not be kept. The earlier objects are replaced when this run is recorded.
func afresh(asset media.Asset) media.Asset {
	asset.Files.Published, asset.Files.Thumbnail = media.Object{}, media.Object{}
	asset.Probe, asset.Problem = media.Probe{}, ""
	return asset
}

// look examines the file and stores the objects derived from it.
func (p *Processor) look(ctx context.Context, asset *media.Asset, moved *progress) error {
	original, err := restore(ctx, p.Objects, p.Folder, asset.Files.Original, moved)
	switch {
	case errors.Is(err, errGone):
		p.note(ctx, asset, media.ProblemGone, err)
		return nil
	case errors.Is(err, errChanged):
		p.note(ctx, asset, media.ProblemChanged, err)
		return nil
	case err != nil:
		return err
	}
	defer func() { _ = original.Close() }()
	if err := failpoint.Hit(ctx, FailProcessAfterOpen); err != nil {
		return err
	}
	asset.Files.Original.SHA256 = original.sum[:]
	if err := p.render(ctx, asset, original); err != nil {
		return err
	}
	return p.clean(ctx, asset, original)
}

// note records the first problem of a file.
func (p *Processor) note(ctx context.Context, asset *media.Asset, problem string, cause error) {
	asset.Problem = cmp.Or(asset.Problem, problem)
	p.Logger.WarnContext(ctx, "media file cannot be opened", slog.String("media_id", asset.ID.String()),
		slog.String("workspace_id", asset.WorkspaceID.String()), slog.String("content_type", asset.ContentType),
		slog.Int64("size", asset.Size), slog.String("problem", problem), slog.Any("error", cause))
}

// render probes the file and stores its thumbnail, unless no program of the service opens its type.
func (p *Processor) render(ctx context.Context, asset *media.Asset, original *spool) error {
	if !media.Opens(asset.ContentType) {
		return nil
	}
	result, err := p.Box.Render(ctx, original.path())
	asset.Probe = media.Probe(result.Probe)
	class, ownFault := mediabox.ClassOf(err)
	switch {
	case class == mediabox.TimedOut && firstTry(ctx): // the machine may have been busy
		return err
	case ownFault:
		p.note(ctx, asset, string(class), err)
		return nil
	case err != nil:
		return err
	}
	asset.Files.Thumbnail, err = p.depot.put(ctx, bytes.NewReader(result.Thumbnail.Data),
		int64(len(result.Thumbnail.Data)), result.Thumbnail.ContentType, media.LooseLife)
	return err
}

func firstTry(ctx context.Context) bool {
	return activity.IsActivity(ctx) && activity.GetInfo(ctx).Attempt == 1
}

// clean stores the published form of the file: the original itself if no metadata has to be removed.
func (p *Processor) clean(ctx context.Context, asset *media.Asset, original *spool) error {
	stripped, err := rendition(ctx, p.Box, p.Folder, original, asset.ContentType)
	switch class, ownFault := mediabox.ClassOf(err); {
	case class == mediabox.TimedOut && firstTry(ctx): // the machine may have been busy
		return err
	case ownFault:
		p.note(ctx, asset, string(class), err)
		return nil
	case err != nil:
		return err
	case stripped == nil:
		asset.Files.Published = asset.Files.Original
		return nil
	}
	defer func() { _ = stripped.Close() }()
	asset.Files.Published, err = p.depot.put(ctx, stripped, stripped.size, asset.ContentType, media.LooseLife)
	return err
}

// record stores the results, unless another run did so first.
func (p *Processor) record(ctx context.Context, asset media.Asset, started time.Time) (flow.MediaOutcome, error) {
	within, cancel := context.WithTimeout(context.WithoutCancel(ctx), recordTimeout)
	defer cancel()
	now := p.Clock.Now()
	err := p.Media.Processed(within, asset, now)
	switch {
	case errors.Is(err, postgres.ErrStale), apperr.Is(err, apperr.NotFound):
		return p.overtaken(within, asset)
	case err != nil:
		return flow.MediaOutcome{}, err
	}
	p.Metrics.seen(asset.Type, asset.Problem, now.Sub(started))
	if err := failpoint.Hit(ctx, FailProcessAfterRecord); err != nil {
		return flow.MediaOutcome{}, err
	}
	if asset.Problem != "" {
		return flow.MediaOutcome{Note: "Processed, with a problem: " + asset.Problem + "."}, nil
	}
	return flow.MediaOutcome{Note: "Processed."}, nil
}

// overtaken deletes the objects that this run created, but none that the asset uses.
func (p *Processor) overtaken(ctx context.Context, asset media.Asset) (flow.MediaOutcome, error) {
	current, outcome, err := p.waiting(ctx, flow.MediaInput{MediaID: asset.ID, WorkspaceID: asset.WorkspaceID})
	if err != nil { // the asset's objects are unknown; the clean-up decides
		return flow.MediaOutcome{}, err
	}
	kept := append(current.Files.Keys(), asset.Files.Original.Key)
	for _, key := range asset.Files.Keys() {
		if !slices.Contains(kept, key) {
			p.depot.discard(ctx, key)
		}
	}
	if outcome == nil {
		return flow.MediaOutcome{}, errors.New("media: the thumbnail was not recorded in time")
	}
	return *outcome, nil
}

// GiveUp records that a file was not processed because our storage was unavailable for too long.
func (p *Processor) GiveUp(ctx context.Context, in flow.MediaInput) (flow.MediaOutcome, error) {
	asset, outcome, err := p.waiting(ctx, in)
	if err != nil || outcome != nil {
		return value(outcome), err
	}
	asset = afresh(asset)
	p.note(ctx, &asset, media.ProblemUnavailable, nil)
	return p.record(ctx, asset, p.Clock.Now())
}

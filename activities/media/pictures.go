package media

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"os"
	"time"

	"fencepost.internal/shared/domain/media"
	"fencepost.internal/shared/infra/egress"
	"fencepost.internal/shared/infra/mediabox"
	"fencepost.internal/shared/infra/objectstore"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/kernel/apperr"
	"fencepost.internal/shared/kernel/clock"
	"fencepost.internal/shared/kernel/ident"
)

const (
	// PictureAge is the age at which the picture of an account is read again.
	PictureAge = 7 * 24 * time.Hour
	// mostPicture is the largest file that is downloaded, in bytes.
	mostPicture = 5 << 20
	// pictureSide is the longer side of a stored picture: three times that of the largest place.
	pictureSide = 128
	// largestPicture is the largest stored file, in bytes.
	largestPicture = 20_000
	// pictureTimeout bounds the download.
	pictureTimeout = 20 * time.Second
)

// Shrinker makes small copies of untrusted pictures; see mediabox.Box.
type Shrinker interface {
	Conversions
	Probe(ctx context.Context, path string) (mediabox.Result, error)
}

// PicturesConfig holds the dependencies of Pictures.
type PicturesConfig struct {
	Store      *postgres.Pictures
	Loose      *postgres.Loose
	Objects    *objectstore.Store
	Downloader Downloader
	Box        Shrinker
	Folder     string // for temporary files; empty means the system default
	Clock      clock.Clock
	Logger     *slog.Logger
}

// Pictures keeps small copies of the pictures of accounts, so that pages need no files of networks. It is safe for
// concurrent use.
type Pictures struct {
	PicturesConfig
	depot depot
}

// NewPictures returns Pictures, or an error if cfg is incomplete.
func NewPictures(cfg PicturesConfig) (*Pictures, error) {
	if cfg.Store == nil || cfg.Loose == nil || cfg.Objects == nil || cfg.Downloader == nil || cfg.Box == nil ||
		cfg.Clock == nil || cfg.Logger == nil {
		return nil, errors.New("media: every dependency of Pictures is required")
	}
	return &Pictures{PicturesConfig: cfg, depot: depot{objects: cfg.Objects, loose: cfg.Loose, logger: cfg.Logger}}, nil
}

// Due reports whether the picture of a channel's account must be read.
func (p *Pictures) Due(ctx context.Context, id ident.Channel) (bool, error) {
	return p.Store.Due(ctx, id, p.Clock.Now().Add(-PictureAge))
}

// Take replaces the copy by that of the picture at an address; empty: the account has none. A file that is no picture
// counts as none. A picture that cannot be downloaded or opened at the moment leaves the former copy, and is due again. An
// error means that our own database, storage or machine failed.
func (p *Pictures) Take(ctx context.Context, id ident.Channel, address string) error {
	var key string
	if address != "" {
		created, err := p.copy(ctx, address)
		_, remote := errors.AsType[*egress.Error](err)
		class, unreadable := mediabox.ClassOf(err)
		if remote || unreadable {
			p.Logger.InfoContext(ctx, "the picture of an account cannot be copied", slog.String("channel_id", id.String()),
				slog.Any("error", err))
		}
		if remote || class == mediabox.TimedOut || class == mediabox.ToolMissing {
			return nil
		}
		if err != nil && !unreadable {
			return err
		}
		key = created.Key
	}
	within, cancel := context.WithTimeout(context.WithoutCancel(ctx), recordTimeout)
	defer cancel()
	err := p.Store.Set(within, id, key, p.Clock.Now())
	if err != nil && key != "" {
		p.depot.discard(ctx, key)
	}
	if apperr.Is(err, apperr.NotFound) { // the channel was deleted
		return nil
	}
	return err
}

// copy downloads a picture and stores a small one.
func (p *Pictures) copy(ctx context.Context, address string) (media.Object, error) {
	within, cancel := context.WithTimeout(ctx, pictureTimeout)
	defer cancel()
	download, err := p.Downloader.Get(within, address, mostPicture)
	if err != nil {
		return media.Object{}, err
	}
	defer func() { _ = download.Body.Close() }()
	original, err := newSpool(p.Folder)
	if err != nil {
		return media.Object{}, err
	}
	defer func() { _ = original.Close() }()
	if err := original.fill(download.Body); err != nil {
		return media.Object{}, err
	}
	small, err := newSpool(p.Folder)
	if err != nil {
		return media.Object{}, err
	}
	defer func() { _ = small.Close() }()
	created, err := p.shrink(ctx, original.path(), small.File)
	if err != nil {
		return media.Object{}, err
	}
	return p.depot.put(ctx, io.NewSectionReader(small, 0, created.Size), created.Size, created.ContentType, media.LooseLife)
}

func (p *Pictures) shrink(ctx context.Context, path string, into *os.File) (mediabox.Converted, error) {
	found, err := p.Box.Probe(ctx, path)
	if err != nil {
		return mediabox.Converted{}, err
	}
	to := mediabox.Target{ContentType: media.ContentTypeJPEG, Size: largestPicture}
	if longer := max(found.Probe.Width, found.Probe.Height); longer > pictureSide {
		to.Width = max(1, found.Probe.Width*pictureSide/longer)
		to.Height = max(1, found.Probe.Height*pictureSide/longer)
	}
	return p.Box.Convert(ctx, path, to, into)
}

package media

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/inbox"
	"fencepost.internal/shared/domain/media"
	"fencepost.internal/shared/domain/workspace"
	"fencepost.internal/shared/infra/egress"
	"fencepost.internal/shared/infra/mediabox"
	"fencepost.internal/shared/infra/objectstore"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/infra/retry"
	"fencepost.internal/shared/kernel/clock"
	"fencepost.internal/shared/kernel/ident"
	"fencepost.internal/shared/platform"
)

const (
	fetchesInFlight = 16
	fetchPoll       = 500 * time.Millisecond
	fetchBusy       = 50 * time.Millisecond
	// fetchFor bounds one try: a transfer has five minutes, and opening a video as long.
	fetchFor      = 11 * time.Minute
	fetchLease    = fetchFor + time.Minute
	fetchShutdown = 10 * time.Second
)

// Fetchings is the store of files of messages; see postgres.MessageFiles.
type Fetchings interface {
	Claim(ctx context.Context, turn retry.Turn, lease time.Duration) ([]postgres.WaitingFile, error)
	Loaded(ctx context.Context, f postgres.WaitingFile) error
	NotLoaded(ctx context.Context, f postgres.WaitingFile, state inbox.FileState, fault string, pause time.Duration) error
	Failed(ctx context.Context, of channel.Channel, most int) error
}

// Caller calls the network of a channel with valid credentials; see access.Keeper.
type Caller interface {
	Do(ctx context.Context, link platform.Link, c channel.Channel, call func(context.Context, platform.Account) error) error
}

// SourceDownloader fetches a file from a service that the program knows; see egress.Downloader.
type SourceDownloader interface {
	Fetch(ctx context.Context, r egress.FileRequest) (*egress.Download, error)
}

// FetcherConfig holds the dependencies of a Fetcher.
type FetcherConfig struct {
	Store      Fetchings
	Access     Caller
	Connectors *platform.Registry
	Downloader SourceDownloader
	Loose      *postgres.Loose
	Objects    *objectstore.Store
	Box        Box
	Folder     string  // for temporary files; empty means the system default
	RetryScale float64 // factor of the pauses; 1 in production
	Clock      clock.Clock
	Logger     *slog.Logger
	Claims     *retry.Metrics
	Reg        prometheus.Registerer
}

// Fetcher loads the files of messages from the networks. A message is visible before, and stays so whatever becomes of its
// files.
type Fetcher struct {
	FetcherConfig

	depot    depot
	outcomes *prometheus.CounterVec
}

// NewFetcher returns the loop that loads files, or an error if cfg is incomplete.
func NewFetcher(cfg FetcherConfig) (*retry.Loop[postgres.WaitingFile], error) {
	if cfg.Store == nil || cfg.Access == nil || cfg.Connectors == nil || cfg.Downloader == nil || cfg.Loose == nil || cfg.Objects == nil ||
		cfg.Box == nil || cfg.RetryScale <= 0 || cfg.Clock == nil || cfg.Logger == nil || cfg.Claims == nil || cfg.Reg == nil {
		return nil, errors.New("media: every dependency of a Fetcher is required")
	}
	f := &Fetcher{
		FetcherConfig: cfg, depot: depot{objects: cfg.Objects, loose: cfg.Loose, logger: cfg.Logger},
		outcomes: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "message_files_total",
			Help: "Tries to load files of messages, by outcome: ready, failed (tried again), refused and expired.",
		}, []string{"outcome"}),
	}
	cfg.Reg.MustRegister(f.outcomes)
	for _, outcome := range []string{"ready", "failed", "refused", "expired"} {
		f.outcomes.WithLabelValues(outcome)
	}
	return retry.NewLoop(retry.LoopConfig[postgres.WaitingFile]{
		Name: "message_files", InFlight: fetchesInFlight, Batch: fetchesInFlight, Idle: fetchPoll, Busy: fetchBusy, Shutdown: fetchShutdown,
		Clock: cfg.Clock, Logger: cfg.Logger, Metrics: cfg.Claims,
		Claim: func(ctx context.Context, turn retry.Turn) ([]postgres.WaitingFile, error) {
			return cfg.Store.Claim(ctx, turn, fetchLease)
		},
		Workspace: func(w postgres.WaitingFile) ident.Workspace { return w.Channel.WorkspaceID },
		Handle:    f.handle,
	})
}

// unloaded is the reason why a file was not loaded.
type unloaded struct {
	text  string // for people
	final bool   // another try cannot help
	cause error
}

// Error returns the text.
func (u *unloaded) Error() string { return u.text }

// Unwrap returns the cause.
func (u *unloaded) Unwrap() error { return u.cause }

// handle loads one file, and records what became of it. An error means that our own database or storage failed: the file is
// claimed again after its lease.
func (f *Fetcher) handle(ctx context.Context, w postgres.WaitingFile) error {
	ctx, cancel := context.WithTimeout(ctx, fetchFor)
	defer cancel()
	loaded, err := f.load(ctx, w)
	if failed, is := errors.AsType[*unloaded](err); is {
		return f.failed(ctx, w, failed)
	}
	if err != nil {
		return err
	}
	within, end := context.WithTimeout(context.WithoutCancel(ctx), recordTimeout)
	defer end()
	if err := f.Store.Loaded(within, loaded); err != nil {
		for _, o := range []media.Object{loaded.Object, loaded.Thumbnail} {
			if !o.IsZero() {
				f.depot.discard(ctx, o.Key)
			}
		}
		if errors.Is(err, postgres.ErrStale) { // the message was deleted, or has another file now
			return nil
		}
		return err
	}
	f.outcomes.WithLabelValues("ready").Inc()
	return nil
}

// failed records why a file was not loaded.
func (f *Fetcher) failed(ctx context.Context, w postgres.WaitingFile, failed *unloaded) error {
	state, outcome := inbox.Waiting, "failed"
	switch {
	case failed.final:
		state, outcome = inbox.Refused, "refused"
	case w.Age >= inbox.FileLife:
		state, outcome = inbox.Expired, "expired"
	}
	within, end := context.WithTimeout(context.WithoutCancel(ctx), recordTimeout)
	defer end()
	pause := time.Duration(float64(inbox.FilePause(w.Tries)) * f.RetryScale)
	err := f.Store.NotLoaded(within, w, state, failed.text, pause)
	if errors.Is(err, postgres.ErrStale) {
		return nil
	}
	if err != nil {
		return err
	}
	f.outcomes.WithLabelValues(outcome).Inc()
	f.Logger.WarnContext(ctx, "a file of a message was not loaded", slog.String("message_id", w.MessageID.String()),
		slog.String("workspace_id", w.Channel.WorkspaceID.String()), slog.String("channel_id", w.Channel.ID.String()),
		slog.String("outcome", outcome), slog.String("reason", failed.text), slog.Any("error", failed.cause))
	return nil
}

// load fetches a file, and stores it with its thumbnail. An *unloaded says why that was not possible.
func (f *Fetcher) load(ctx context.Context, w postgres.WaitingFile) (postgres.WaitingFile, error) {
	link, _ := f.Connectors.Link(w.Channel)
	source, ok := link.(platform.FileSource)
	if !ok || !w.Channel.IsConnected {
		return w, &unloaded{text: "The channel is disconnected. Connect it again."}
	}
	terms, name := source.FileTerms(), w.Channel.Type.Network().Name()
	large := &unloaded{text: "The file is larger than the " + workspace.Bytes(terms.Most) + " that " + name + " gives to programs.", final: true}
	if w.Size > terms.Most {
		return w, large
	}
	found, err := f.find(ctx, source, w, terms)
	if failure, is := errors.AsType[*platform.Failure](err); is && failure.Code == platform.CodeFileTooLarge {
		large.cause = err
		return w, large
	}
	if err != nil {
		return w, err
	}
	if found.Size > terms.Most {
		return w, large
	}
	download, err := f.Downloader.Fetch(ctx, egress.FileRequest{
		Address: found.Address, Header: found.Header, Hosts: terms.Hosts, Limit: terms.Most,
	})
	if err != nil {
		return w, undelivered(err, name, large)
	}
	defer func() { _ = download.Body.Close() }()
	original, err := newSpool(f.Folder)
	if err != nil {
		return w, err
	}
	defer func() { _ = original.Close() }()
	if err := original.fill(download.Body); err != nil {
		return w, undelivered(err, name, large)
	}
	return f.keep(ctx, w, original)
}

// find asks the network where a file is.
func (f *Fetcher) find(
	ctx context.Context, source platform.FileSource, w postgres.WaitingFile, terms platform.FileTerms,
) (found platform.FoundFile, err error) {
	err = f.Access.Do(ctx, source, w.Channel, func(ctx context.Context, account platform.Account) (err error) {
		found, err = source.FindFile(ctx, account, w.Reference)
		return err
	})
	failure, refused := errors.AsType[*platform.Failure](err)
	if !refused {
		return found, err
	}
	if terms.Failures > 0 {
		if err := f.Store.Failed(ctx, w.Channel, terms.Failures); err != nil {
			return found, err
		}
	}
	return found, &unloaded{text: failure.Message, cause: err}
}

// undelivered converts an error of a download. Addresses of other machines than the network's are not tried again.
func undelivered(err error, network string, large *unloaded) error {
	switch class := egress.ClassOf(err); {
	case errors.Is(err, egress.ErrLimit):
		large.cause = err
		return large
	case class == egress.ClassBlockedURL, class == egress.ClassBlockedAddress:
		return &unloaded{text: "The address of the file is not one of " + network + ", so nothing was requested there.", final: true, cause: err}
	case class != "":
		return &unloaded{text: network + " did not return the file.", cause: err}
	default:
		return err
	}
}

// keep stores a file that was fetched, with its thumbnail.
func (f *Fetcher) keep(ctx context.Context, w postgres.WaitingFile, original *spool) (postgres.WaitingFile, error) {
	head := make([]byte, media.HeadSize)
	n, err := original.ReadAt(head, 0)
	if err != nil && !errors.Is(err, io.EOF) {
		return w, err
	}
	if w.Type, err = typeOf(head[:n], original); err != nil {
		return w, err
	}
	var thumbnail mediabox.Thumbnail
	if _, known := media.TypeOf(w.Type); known && media.Opens(w.Type) {
		result, err := f.Box.Render(ctx, original.path())
		switch class, own := mediabox.ClassOf(err); {
		case class == mediabox.TimedOut && w.Tries == 0: // the machine may have been busy
			return w, &unloaded{text: "The file takes too long to open.", cause: err}
		case class == mediabox.TooLarge, class == mediabox.TimedOut:
			return w, &unloaded{text: "The file is made so that opening it takes too much memory or time.", final: true, cause: err}
		case own:
			w.Type = octets // it can be saved, but is not shown
		case err != nil:
			return w, err
		default:
			thumbnail, w.Width, w.Height = result.Thumbnail, result.Thumbnail.Width, result.Thumbnail.Height
		}
	}
	w.Object, err = f.depot.put(ctx, original, original.size, w.Type, media.LooseLife)
	if err == nil && len(thumbnail.Data) > 0 {
		w.Thumbnail, err = f.depot.put(ctx, bytes.NewReader(thumbnail.Data), int64(len(thumbnail.Data)), thumbnail.ContentType, media.LooseLife)
	}
	return w, err
}

// octets is the type of files that browsers save.
const octets = "application/octet-stream"

// typeOf returns the type of a file by its bytes. Pages and drawings, which could run in a browser, are refused.
func typeOf(head []byte, file *spool) (string, error) {
	_, contentType, ok := media.Sniff(head)
	if !ok && media.NeedsFile(head) {
		var err error
		if _, contentType, ok, err = media.SniffFile(file, file.size); err != nil {
			return "", err
		}
	}
	switch sniffed := http.DetectContentType(head); {
	case ok:
		return contentType, nil
	case media.IsPage(head):
		return "", &unloaded{text: "The file is a web page or a drawing that can contain programs.", final: true}
	case sniffed == "audio/mpeg", sniffed == "audio/wave":
		return sniffed, nil
	case sniffed == "application/ogg":
		return "audio/ogg", nil
	case media.IsSound(head):
		return "audio/mp4", nil
	default:
		return cmp.Or(contentType, octets), nil
	}
}

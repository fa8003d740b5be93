package app

import (
	"context"
	"errors"
	"io"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"fencepost.internal/services/internal/relay"
	"fencepost.internal/shared/domain/media"
	"fencepost.internal/shared/infra/objectstore"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/infra/retry"
	"fencepost.internal/shared/kernel/apperr"
	"fencepost.internal/shared/kernel/ident"
)

// StartUpload is a request for a direct upload.
type StartUpload struct {
	FileName    string
	ContentType string // in media.ContentTypes
	Size        int64
}

// StartedUpload is an upload with its signed request.
type StartedUpload struct {
	media.Upload
	Signed objectstore.SignedPut
	// Parts are the signed requests of a large upload in parts, with the same headers; nil for a smaller one.
	Parts []SignedPart
}

// SignedPart is a part of an upload with its URL.
type SignedPart struct {
	media.Part
	URL string
}

// StartUpload reserves the quota for the file and signs the upload request. The error is QUOTA_EXCEEDED when the plan
// has no room.
func (a *mediaUseCases) StartUpload(ctx context.Context, p Principal, in StartUpload) (StartedUpload, error) {
	limits, now := p.Plan.Limits(), a.now()
	if err := limits.CheckFileSize(in.Size); err != nil { // before signing, because the store has a limit too
		return StartedUpload{}, err
	}
	u := media.Upload{
		ID: ident.New[ident.Media](), WorkspaceID: p.WorkspaceID, Name: in.FileName, ContentType: in.ContentType,
		Size: in.Size, Key: media.NewUploadKey(), CreatedAt: now, ExpiresAt: now.Add(media.UploadLife),
	}
	started := StartedUpload{Upload: u}
	var err error
	if started.Signed, err = a.signPut(u, u.Key, u.Size); err != nil {
		return StartedUpload{}, err
	}
	for _, part := range u.Parts() {
		signed, err := a.signPut(u, part.Key, part.Size)
		if err != nil {
			return StartedUpload{}, err
		}
		started.Parts = append(started.Parts, SignedPart{part, signed.URL})
	}
	if err := a.uploads.Insert(ctx, u, limits); err != nil {
		return StartedUpload{}, err
	}
	return started, nil
}

func (a *mediaUseCases) signPut(u media.Upload, key string, size int64) (objectstore.SignedPut, error) {
	return a.files.PresignPut(objectstore.PutTerms{
		Key: key, ContentType: u.ContentType, Size: size, Expires: media.UploadLife,
	})
}

// CancelUpload ends an upload that the client no longer wants, and releases its reserved storage. It still counts towards
// the uploads of the month. NOT_FOUND when the workspace has no such upload in progress.
func (a *mediaUseCases) CancelUpload(ctx context.Context, p Principal, id ident.Media) error {
	if _, err := a.uploads.Get(ctx, p.WorkspaceID, id); err != nil {
		return err
	}
	return a.uploads.Abandon(ctx, p.WorkspaceID, id)
}

// CopyTimeout is the time limit of CompleteUpload: enough for the store to copy the largest file.
const CopyTimeout = objectstore.DefaultFinishTimeout + 20*time.Second

// CompleteUpload creates the asset of an upload whose bytes have arrived. Further calls return the same asset. Of
// several concurrent requests one does the work, and the others wait for it.
//
// The client can still write to the upload's key. The checks therefore apply to a copy that the client cannot reach,
// and a copy that does not match the declaration is deleted. Errors: NOT_FOUND; UPLOAD_NOT_RECEIVED; UPLOAD_MISMATCH,
// which ends the upload; UNAVAILABLE while the object store does not respond.
func (a *mediaUseCases) CompleteUpload(ctx context.Context, p Principal, id ident.Media) (DeliveredAsset, error) {
	return retry.Do(ctx, looks, isRunning, func() (DeliveredAsset, error) {
		u, err := a.uploads.Get(ctx, p.WorkspaceID, id)
		if apperr.Is(err, apperr.NotFound) {
			return a.completed(ctx, p, id)
		}
		if err != nil {
			return DeliveredAsset{}, err
		}
		claim, ours, err := a.uploads.Claim(ctx, p.WorkspaceID, id)
		switch {
		case err != nil:
			return DeliveredAsset{}, err
		case !ours:
			return DeliveredAsset{}, errRunning
		}
		return a.complete(ctx, p, u, claim)
	})
}

// complete creates the asset of an upload that this request has claimed.
func (a *mediaUseCases) complete(
	ctx context.Context, p Principal, u media.Upload, claim postgres.Claim,
) (DeliveredAsset, error) {
	asset, err := a.take(ctx, u)
	switch {
	case apperr.Is(err, apperr.UploadMismatch):
		if ended := a.uploads.Abandon(ctx, p.WorkspaceID, u.ID); ended != nil { // the next try returns the same error
			return DeliveredAsset{}, ended
		}
		return DeliveredAsset{}, err
	case err != nil:
		return DeliveredAsset{}, errors.Join(err, a.uploads.Release(context.WithoutCancel(ctx), p.WorkspaceID, u.ID, claim))
	}
	switch err := a.uploads.Complete(ctx, asset); {
	case errors.Is(err, postgres.ErrStale): // another request completed the upload first
		a.removeObjects(ctx, asset.Files.Original.Key)
		return a.completed(ctx, p, u.ID)
	case err != nil:
		return DeliveredAsset{}, err
	}
	a.wake(relay.Messages)
	// The upload's own object stays registered as loose. Its URL is valid for a while, and the clean-up also deletes
	// later writes to it.
	return a.deliver(asset)
}

// completed returns the asset of an upload that was completed.
func (a *mediaUseCases) completed(ctx context.Context, p Principal, id ident.Media) (DeliveredAsset, error) {
	found, err := a.Media(ctx, p, id)
	if apperr.Is(err, apperr.NotFound) {
		return found, apperr.New(apperr.NotFound, "There is no such upload.")
	}
	return found, err
}

// take copies the uploaded object, or its parts, to a key that the uploader cannot reach, and checks the copy.
func (a *mediaUseCases) take(ctx context.Context, u media.Upload) (media.Asset, error) {
	sources, err := a.sent(ctx, u)
	if err != nil {
		return media.Asset{}, err
	}
	key := media.NewKey()
	if err := a.loose.Register(ctx, key, media.LooseLife); err != nil {
		return media.Asset{}, err
	}
	etag, err := a.copied(ctx, u, sources, key)
	if err != nil {
		return media.Asset{}, a.unreadable(ctx, err)
	}
	kind, err := a.inspect(ctx, u, key)
	if err != nil {
		a.removeObjects(ctx, key)
		return media.Asset{}, err
	}
	return media.Asset{
		ID: u.ID, WorkspaceID: u.WorkspaceID, Name: u.Name, Type: kind, ContentType: u.ContentType, Size: u.Size,
		CreatedAt: u.CreatedAt,
		Files:     media.Files{Original: media.Object{Key: key, ETag: etag, ContentType: u.ContentType, Size: u.Size}},
	}, nil
}

// sent returns the objects that the client has sent: the file, or else all of its parts.
func (a *mediaUseCases) sent(ctx context.Context, u media.Upload) ([]objectstore.Info, error) {
	whole, err := a.files.Stat(ctx, u.Key)
	parts := u.Parts()
	switch {
	case errors.Is(err, objectstore.ErrNotFound) && parts != nil:
		return a.sentParts(ctx, u, parts)
	case errors.Is(err, objectstore.ErrNotFound):
		return nil, apperr.New(apperr.UploadNotReceived,
			"The bytes are not in storage. Send them to uploadUrl by PUT, then complete the upload (it expires at %s).",
			u.ExpiresAt.UTC().Format(time.RFC3339))
	case err != nil:
		return nil, a.unreadable(ctx, err)
	case whole.Size != u.Size:
		return nil, a.mismatch(u, "The upload has %d bytes, and %d were declared.", whole.Size, u.Size)
	}
	return []objectstore.Info{whole}, nil
}

// statsAtOnce is the number of parts that are looked up at the same time.
const statsAtOnce = 8

func (a *mediaUseCases) sentParts(ctx context.Context, u media.Upload, parts []media.Part) ([]objectstore.Info, error) {
	found, missing := make([]objectstore.Info, len(parts)), make([]bool, len(parts))
	group, within := errgroup.WithContext(ctx)
	group.SetLimit(statsAtOnce)
	for i, part := range parts {
		group.Go(func() error {
			info, err := a.files.Stat(within, part.Key)
			if errors.Is(err, objectstore.ErrNotFound) {
				missing[i] = true
				return nil
			}
			found[i] = info
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return nil, a.unreadable(ctx, err)
	}
	var absent []string
	for i, part := range parts {
		switch {
		case missing[i]:
			absent = append(absent, strconv.Itoa(part.Number))
		case found[i].Size != part.Size:
			return nil, a.mismatch(u, "Part %d has %d bytes instead of %d.", part.Number, found[i].Size, part.Size)
		}
	}
	if len(absent) > 0 {
		return nil, apperr.New(apperr.UploadNotReceived, "Of %d parts, these are not in storage: %s. Send each to its url by "+
			"PUT, or the whole file to uploadUrl, then complete the upload (it expires at %s).", len(parts),
			strings.Join(absent, ", "), u.ExpiresAt.UTC().Format(time.RFC3339))
	}
	return found, nil
}

func (a *mediaUseCases) copied(ctx context.Context, u media.Upload, from []objectstore.Info, to string) (etag string, err error) {
	if len(from) == 1 {
		return a.files.Copy(ctx, objectstore.CopyRequest{
			From: from[0].Key, ETag: from[0].ETag, To: to, ContentType: u.ContentType,
		})
	}
	return a.files.Join(ctx, objectstore.JoinRequest{From: from, To: to, ContentType: u.ContentType})
}

// inspect compares the bytes of the copy with the declaration.
func (a *mediaUseCases) inspect(ctx context.Context, u media.Upload, key string) (media.Type, error) {
	object, err := a.files.Open(ctx, key, objectstore.Range{Length: min(media.HeadSize, u.Size)})
	if err != nil {
		return "", a.unreadable(ctx, err)
	}
	defer func() { _ = object.Close() }()
	if size := object.Info().Size; size != u.Size { // size of the whole object
		return "", a.mismatch(u, "The upload has %d bytes, and %d were declared.", size, u.Size)
	}
	head, err := io.ReadAll(io.LimitReader(object, media.HeadSize))
	if err != nil {
		return "", a.unreadable(ctx, err)
	}
	kind, sniffed, ok := media.Sniff(head)
	if media.NeedsFile(head) {
		whole := &storedFile{ctx: ctx, files: a.files, key: key, size: u.Size, blocks: map[int64][]byte{}}
		if kind, sniffed, ok, err = media.SniffFile(whole, u.Size); err != nil {
			return "", a.unreadable(ctx, err)
		}
	}
	switch {
	case !ok:
		return "", a.mismatch(u, "The bytes are not of a supported type. Supported are %s.", media.Formats)
	case sniffed != u.ContentType:
		return "", a.mismatch(u, "The bytes are %s, and %s was declared.", sniffed, u.ContentType)
	}
	return kind, nil
}

func (a *mediaUseCases) mismatch(u media.Upload, format string, args ...any) error {
	err := apperr.New(apperr.UploadMismatch, format, args...)
	err.Message += " Start a new upload for " + u.Name + "."
	return err
}

// unreadable converts an error of the object store into an error for the client.
func (a *mediaUseCases) unreadable(ctx context.Context, err error) error {
	switch {
	case errors.Is(err, objectstore.ErrChanged), errors.Is(err, objectstore.ErrNotFound):
		return apperr.Wrap(err, apperr.UploadNotReceived, "The bytes are being replaced by another PUT. Complete the "+
			"upload after it.")
	case errors.Is(err, objectstore.ErrFull):
		return &apperr.Error{
			Code: apperr.Unavailable, RetryAfter: storageFullRetry, Cause: err, Message: "The file storage is full; nothing " +
				"was changed. Try again later.",
		}
	case errors.Is(err, objectstore.ErrUnavailable):
		return &apperr.Error{
			Code: apperr.Unavailable, RetryAfter: storageRetry, Cause: err, Message: "The file storage is unavailable; " +
				"nothing was changed. Try again.",
		}
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return err
	}
	// wrong credentials make the store refuse everything; the upload is not at fault
	if broken := a.files.Ping(ctx); broken != nil {
		return &apperr.Error{
			Code: apperr.Unavailable, RetryAfter: storageFullRetry, Cause: errors.Join(err, broken),
			Message: "The file storage has an error; nothing was changed. Try again later.",
		}
	}
	return apperr.Wrap(err, apperr.UploadMismatch, "The upload cannot be read from the file storage. Start a new upload.")
}

// Retry-After values for a file storage that is down, and for one that is full or misconfigured.
const (
	storageRetry     = 5 * time.Second
	storageFullRetry = time.Minute
)

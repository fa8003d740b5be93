package media

import (
	"context"
	"errors"
	"fmt"
	"log/slog"

	"fencepost.internal/shared/domain/media"
	"fencepost.internal/shared/infra/mediabox"
	"fencepost.internal/shared/infra/objectstore"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/platform"
)

// CodeMediaUnavailable is the error code of attachments that cannot be sent now.
const CodeMediaUnavailable = "MEDIA_UNAVAILABLE"

// linkLoose is the lifetime of an object created only for a link: slightly longer than the link itself.
const linkLoose = media.LinkLife + media.LooseLife

// FilesConfig holds the dependencies of Files.
type FilesConfig struct {
	Loose   *postgres.Loose
	Objects *objectstore.Store
	Box     Stripper
	Folder  string // for temporary files; empty means the system default
	Logger  *slog.Logger
}

// Files opens the attachments of posts as they are published. It is safe for concurrent use.
type Files struct {
	FilesConfig
	depot depot
}

var _ platform.Files = (*Files)(nil)

// NewFiles returns Files, or an error if cfg is incomplete.
func NewFiles(cfg FilesConfig) (*Files, error) {
	if cfg.Loose == nil || cfg.Objects == nil || cfg.Box == nil || cfg.Logger == nil {
		return nil, errors.New("media: every dependency of Files is required")
	}
	return &Files{FilesConfig: cfg, depot: depot{objects: cfg.Objects, loose: cfg.Loose, logger: cfg.Logger}}, nil
}

// Open copies an attachment to a private file and verifies it against its recorded size and hash. For an asset that was
// not yet processed, it creates the published form on the spot.
func (f *Files) Open(ctx context.Context, asset media.Asset) (platform.File, error) {
	file, err := f.open(ctx, asset)
	if err != nil {
		return nil, f.failure(ctx, asset, err)
	}
	return &attachment{spool: file, contentType: asset.ContentType}, nil
}

func (f *Files) open(ctx context.Context, asset media.Asset) (*spool, error) {
	if published := asset.Files.Published; !published.IsZero() {
		return restore(ctx, f.Objects, f.Folder, published, &progress{})
	}
	original, err := restore(ctx, f.Objects, f.Folder, asset.Files.Original, &progress{})
	if err != nil {
		return nil, err
	}
	stripped, err := rendition(ctx, f.Box, f.Folder, original, asset.ContentType)
	if err == nil && stripped == nil {
		return original, nil
	}
	_ = original.Close()
	return stripped, err
}

// Link returns a signed URL of a stored attachment.
func (f *Files) Link(ctx context.Context, asset media.Asset) (string, error) {
	object, err := f.stored(ctx, asset)
	if err != nil {
		return "", f.failure(ctx, asset, err)
	}
	signed, err := f.Objects.PresignGet(objectstore.GetTerms{
		Key: object.Key, ContentType: asset.ContentType, Inline: true, FileName: plainName(asset.ContentType),
		Expires: media.LinkLife,
	})
	if err != nil {
		return "", f.failure(ctx, asset, err)
	}
	return signed.URL, nil
}

// stored returns the object to link to. For an asset that was not yet processed, it creates one with the lifetime of
// the link.
func (f *Files) stored(ctx context.Context, asset media.Asset) (media.Object, error) {
	if published := asset.Files.Published; !published.IsZero() {
		return published, f.verify(ctx, published)
	}
	file, err := f.open(ctx, asset)
	if err != nil {
		return media.Object{}, err
	}
	defer func() { _ = file.Close() }()
	return f.depot.put(ctx, file, file.size, asset.ContentType, linkLoose)
}

// verify checks that an object is the recorded one. A different ETag alone proves nothing, because objects that move to
// another store get new ones; in that case the content is compared.
func (f *Files) verify(ctx context.Context, object media.Object) error {
	info, err := f.Objects.Stat(ctx, object.Key)
	switch {
	case errors.Is(err, objectstore.ErrNotFound):
		return errGone
	case err != nil:
		return err
	case info.Size != object.Size:
		return errChanged
	case info.ETag == object.ETag:
		return nil
	}
	file, err := restore(ctx, f.Objects, f.Folder, object, &progress{})
	if err != nil {
		return err
	}
	return file.Close()
}

// failure converts err to a failure with a message for the tenant.
func (f *Files) failure(ctx context.Context, asset media.Asset, err error) error {
	failed := &platform.Failure{
		Class: platform.ClassTransient, Code: CodeMediaUnavailable, Cause: err,
		Message: "The service's file storage does not respond.",
	}
	class, unreadable := mediabox.ClassOf(err)
	switch {
	case errors.Is(err, errGone):
		failed.Class, failed.Code = platform.ClassRejected, media.CodeGone
		failed.Message = fmt.Sprintf("The file %q is no longer in storage. Upload it again and replace it in the post.",
			asset.Name)
	case errors.Is(err, errChanged):
		failed.Class, failed.Code = platform.ClassRejected, media.CodeDamaged
		failed.Message = fmt.Sprintf("The file %q was damaged in storage. Upload it again and replace it in the post.",
			asset.Name)
	case class == mediabox.ToolMissing:
		failed.Class, failed.Code, failed.Message = platform.ClassOperator, CodeConverterMissing, toolMissing
	case class == mediabox.TimedOut: // the machine may be busy
		failed.Message = "The service has not processed the file yet."
	case unreadable:
		failed.Class, failed.Code = platform.ClassRejected, media.CodeDamaged
		failed.Message = fmt.Sprintf(
			"The file %q is damaged, so its metadata cannot be removed. Save it again with another program and upload it again.",
			asset.Name)
	default:
		return failed
	}
	f.Logger.WarnContext(ctx, "an attachment cannot be sent", slog.String("media_id", asset.ID.String()),
		slog.String("workspace_id", asset.WorkspaceID.String()), slog.String("code", failed.Code), slog.Any("error", err))
	return failed
}

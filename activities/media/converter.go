package media

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"

	"fencepost.internal/shared/domain/media"
	"fencepost.internal/shared/infra/mediabox"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/kernel/apperr"
	"fencepost.internal/shared/kernel/failpoint"
	"fencepost.internal/shared/kernel/ident"
	"fencepost.internal/shared/platform"
	"fencepost.internal/shared/platform/rules"
)

// Error codes of images that cannot be converted.
const (
	CodeMediaUnconvertible = "MEDIA_NOT_CONVERTED"
	CodeConverterMissing   = "CONVERTER_MISSING"
)

// toolMissing is the message if the program that converts a file is not installed.
const toolMissing = "The program that converts files of this type is not installed. Its operator must install it."

// Conversions makes other forms of images in isolation; see mediabox.Box.
type Conversions interface {
	Convert(ctx context.Context, path string, to mediabox.Target, into *os.File) (mediabox.Converted, error)
}

// ConverterConfig holds the dependencies of a Converter.
type ConverterConfig struct {
	Renditions *postgres.Renditions
	Files      *Files
	Box        Conversions
}

// Converter makes the forms of attachments that networks require. It is safe for concurrent use.
//
// The key of a rendition's object is a loose key until the row of the rendition is committed. A crash therefore leaves
// no object behind, and the next attempt makes the rendition again.
type Converter struct{ ConverterConfig }

// NewConverter returns a Converter, or an error if cfg is incomplete.
func NewConverter(cfg ConverterConfig) (*Converter, error) {
	if cfg.Renditions == nil || cfg.Files == nil || cfg.Box == nil {
		return nil, errors.New("media: every dependency of a Converter is required")
	}
	return &Converter{ConverterConfig: cfg}, nil
}

// Stored returns the assets in the forms that are stored already. Other assets, and those whose form is zero, are
// returned unchanged.
func (c *Converter) Stored(ctx context.Context, assets []media.Asset, forms []media.Form) ([]media.Asset, error) {
	wanted := make(map[ident.Media]media.Form)
	for i, asset := range assets {
		if !forms[i].IsZero() {
			wanted[asset.ID] = forms[i]
		}
	}
	if len(wanted) == 0 {
		return assets, nil
	}
	found, err := c.Renditions.GetMany(ctx, wanted)
	if err != nil {
		return nil, err
	}
	converted := make([]media.Asset, len(assets))
	for i, asset := range assets {
		converted[i] = asset
		if rendition, ok := found[asset.ID]; ok && rendition.Form == forms[i] {
			converted[i] = asset.As(rendition)
		}
	}
	return converted, nil
}

// Make returns an asset in a form, which it makes and stores unless another execution has done so. An error that is not
// a Failure comes from the database, and the call may be repeated.
func (c *Converter) Make(ctx context.Context, asset media.Asset, form media.Form) (media.Asset, error) {
	if !asset.Processed() {
		return asset, &platform.Failure{
			Class: platform.ClassTransient, Code: CodeMediaUnavailable, Message: "The service has not processed the file yet.",
		}
	}
	created, err := c.convert(ctx, asset, form)
	if err != nil {
		return asset, err
	}
	if err := failpoint.Hit(ctx, FailConvertBeforeRecord); err != nil {
		return asset, err
	}
	within, cancel := context.WithTimeout(context.WithoutCancel(ctx), recordTimeout)
	defer cancel()
	switch err := c.Renditions.Insert(within, asset.ID, created); {
	case errors.Is(err, postgres.ErrStale):
		c.Files.depot.discard(ctx, created.Object.Key)
		return c.other(ctx, asset, form)
	case apperr.Is(err, apperr.NotFound):
		c.Files.depot.discard(ctx, created.Object.Key)
		return asset, c.Files.failure(ctx, asset, errGone)
	case err != nil:
		return asset, err
	}
	return asset.As(created), failpoint.Hit(ctx, FailConvertAfterRecord)
}

// other returns the asset in the form that another execution stored first.
func (c *Converter) other(ctx context.Context, asset media.Asset, form media.Form) (media.Asset, error) {
	found, err := c.Renditions.GetMany(ctx, map[ident.Media]media.Form{asset.ID: form})
	if err != nil {
		return asset, err
	}
	rendition, ok := found[asset.ID]
	if !ok { // the object was deleted as loose before the record
		return asset, c.Files.failure(ctx, asset, errors.New("media: the rendition was not recorded in time"))
	}
	return asset.As(rendition), nil
}

// convert makes the rendition and stores its object under a loose key.
func (c *Converter) convert(ctx context.Context, asset media.Asset, form media.Form) (media.Rendition, error) {
	published, err := c.Files.open(ctx, asset)
	if err != nil {
		return media.Rendition{}, c.Files.failure(ctx, asset, err)
	}
	defer func() { _ = published.Close() }()
	output, err := newSpool(c.Files.Folder)
	if err != nil {
		return media.Rendition{}, c.Files.failure(ctx, asset, err)
	}
	defer func() { _ = output.Close() }()
	created, err := c.Box.Convert(ctx, published.path(), mediabox.Target{
		ContentType: form.ContentType, Width: form.Width, Height: form.Height, Size: form.MaxSize,
		Loops: media.Loops(asset.Probe.Duration),
	}, output.File)
	if err != nil {
		return media.Rendition{}, c.failure(ctx, asset, rules.Format(form.ContentType).Name(), err)
	}
	object, err := c.Files.depot.put(ctx, io.NewSectionReader(output, 0, created.Size), created.Size, created.ContentType,
		media.LooseLife)
	if err != nil {
		return media.Rendition{}, c.Files.failure(ctx, asset, err)
	}
	return media.Rendition{Form: form, Object: object, Width: created.Width, Height: created.Height}, nil
}

// failure converts the error of a conversion to a failure with a message for the tenant.
func (c *Converter) failure(ctx context.Context, asset media.Asset, form string, err error) error {
	class, ownFault := mediabox.ClassOf(err)
	c.Files.Logger.WarnContext(ctx, "an attachment cannot be converted", slog.String("media_id", asset.ID.String()),
		slog.String("workspace_id", asset.WorkspaceID.String()), slog.String("content_type", asset.ContentType),
		slog.String("class", string(class)), slog.Any("error", err))
	failed := &platform.Failure{
		Class: platform.ClassRejected, Code: CodeMediaUnconvertible, Cause: err, Message: fmt.Sprintf("The file %q cannot be "+
			"converted to the form that the network requires. Save it as %s with another program and upload it again.",
			asset.Name, form),
	}
	switch {
	case class == mediabox.ToolMissing:
		failed.Class, failed.Code, failed.Message = platform.ClassOperator, CodeConverterMissing, toolMissing
	case !ownFault, class == mediabox.TimedOut: // the machine may be busy
		failed.Class, failed.Message = platform.ClassTransient, "The service has not converted the file yet."
	}
	return failed
}

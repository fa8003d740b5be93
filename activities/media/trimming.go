package media

import (
	"context"
	"errors"
	"fmt"
	"os"

	"fencepost.internal/shared/domain/media"
	"fencepost.internal/shared/domain/workspace"
	"fencepost.internal/shared/infra/mediabox"
	"fencepost.internal/shared/kernel/apperr"
)

// Trimmer copies parts of untrusted videos; see mediabox.Box.
type Trimmer interface {
	Trim(ctx context.Context, path string, part mediabox.Part, into *os.File) (mediabox.Stripped, error)
}

// trim stores a part of a video of the library. A *refusal ends the import.
func (w *Importer) trim(ctx context.Context, i media.Import, room room, moved *progress) (media.Asset, error) {
	of, err := w.Media.Get(ctx, i.WorkspaceID, i.Trim.Of)
	if apperr.Is(err, apperr.NotFound) {
		return media.Asset{}, &refusal{code: apperr.ImportFailed, text: "The video was deleted, so it was not trimmed."}
	}
	if err != nil {
		return media.Asset{}, err
	}
	original, err := restore(ctx, w.Objects, w.Folder, of.Files.Original, moved)
	if errors.Is(err, errGone) || errors.Is(err, errChanged) {
		return media.Asset{}, &refusal{
			code: apperr.ImportFailed, cause: err,
			text: fmt.Sprintf("The file %q is no longer in storage as it was uploaded. Upload it again.", of.Name),
		}
	}
	if err != nil {
		return media.Asset{}, err
	}
	defer func() { _ = original.Close() }()
	part, err := newSpool(w.Folder)
	if err != nil {
		return media.Asset{}, err
	}
	defer func() { _ = part.Close() }()
	_, err = w.Box.Trim(ctx, original.path(), mediabox.Part{Start: i.Trim.Start, Length: i.Trim.End - i.Trim.Start}, part.File)
	if err != nil {
		return media.Asset{}, untrimmed(ctx, of, err)
	}
	if err := part.measure(); err != nil {
		return media.Asset{}, err
	}
	if part.size > room.limit {
		return media.Asset{}, &refusal{
			code: apperr.QuotaExceeded, text: "The part does not fit: " + workspace.Bytes(room.remaining) +
				" are left of the plan's storage. Delete files that are no longer needed.",
		}
	}
	object, err := w.depot.put(ctx, part, part.size, of.ContentType, media.LooseLife)
	return media.Asset{
		ID: i.ID, WorkspaceID: i.WorkspaceID, Name: i.Name, Type: of.Type, ContentType: of.ContentType, Size: object.Size,
		CreatedAt: i.CreatedAt, SourceURL: of.SourceURL, AltText: of.AltText, Files: media.Files{Original: object},
	}, err
}

// untrimmed converts the error of a cut to a refusal if the video is at fault.
func untrimmed(ctx context.Context, of media.Asset, err error) error {
	class, ownFault := mediabox.ClassOf(err)
	switch {
	case !ownFault, class == mediabox.TimedOut && firstTry(ctx): // the machine may be busy
		return err
	case class == mediabox.ToolMissing:
		return &refusal{code: apperr.Unavailable, text: toolMissing, cause: err}
	}
	return &refusal{code: apperr.ImportFailed, cause: err, text: fmt.Sprintf(
		"The video %q cannot be trimmed. Save it as MP4 with another program and upload it again.", of.Name)}
}

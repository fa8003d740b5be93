package tools

import (
	"context"
	"strconv"
	"time"

	"fencepost.internal/services/internal/apiforms"
	"fencepost.internal/services/internal/app"
	"fencepost.internal/services/internal/cursor"
	"fencepost.internal/shared/domain/credential"
	"fencepost.internal/shared/domain/event"
	"fencepost.internal/shared/domain/media"
	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/kernel/apperr"
	"fencepost.internal/shared/kernel/ident"
)

// StartUpload is the input of create_media_upload.
type StartUpload struct {
	apiforms.StartUpload
	Keyed
}

// Check implements apiforms.Body.
func (in StartUpload) Check() []apperr.Field { return append(in.StartUpload.Check(), in.faults()...) }

// CompleteUpload is the input of complete_media_upload.
type CompleteUpload struct {
	Keyed

	MediaID ident.Media `json:"mediaId" format:"uuid" example:"0190a3c9-5f46-7bad-ae88-9d5b6a7f8e93" doc:"The mediaId from create_media_upload."`
}

// Check implements apiforms.Body.
func (in CompleteUpload) Check() []apperr.Field { return in.faults() }

// CompletedUpload is the output of complete_media_upload.
type CompletedUpload struct {
	Media    keptAs[apiforms.Media] `json:"media" doc:"The asset. Pass its id in mediaIds of create_post."`
	Replayed bool                   `json:"replayed" doc:"Whether an earlier call did it."`
}

// ImportMedia is the input of import_media: the body of the API's import-media with additional fields.
type ImportMedia struct {
	apiforms.ImportMedia
	Keyed
}

// Check implements apiforms.Body.
func (in ImportMedia) Check() []apperr.Field { return append(in.ImportMedia.Check(), in.faults()...) }

// ImportedMedia is the output of import_media.
type ImportedMedia struct {
	Media    apiforms.Media `json:"media" doc:"The asset. Pass its id in mediaIds of create_post."`
	Replayed bool           `json:"replayed" doc:"Whether an earlier call did it."`
}

// ListMedia is the input of list_media.
type ListMedia struct {
	Type        apiforms.MediaType `json:"type,omitempty" doc:"Returns only assets of this kind."`
	Q           string             `json:"q,omitempty" maxLength:"200" doc:"Returns only assets whose name, alternative text or labels have these words."`
	Unused      bool               `json:"unused,omitempty" doc:"true returns only assets that nothing refers to."`
	CreatedFrom string             `json:"createdFrom,omitempty" format:"date-time" doc:"Returns only assets created at this time or later."`
	CreatedTo   string             `json:"createdTo,omitempty" format:"date-time" doc:"Returns only assets created before this time."`
	Limit       int                `json:"limit,omitempty" minimum:"1" maximum:"100" default:"25" doc:"Maximum number of assets per page."`
	Cursor      string             `json:"cursor,omitempty" doc:"The nextCursor of the previous page, with the same filters. Omit it for the first page."`
}

// Check implements apiforms.Body.
func (in ListMedia) Check() []apperr.Field {
	_, faults := in.filter()
	return faults
}

func (in ListMedia) filter() (postgres.MediaFilter, []apperr.Field) {
	out := postgres.MediaFilter{Type: media.Type(in.Type), Unused: in.Unused}
	faults := span("createdFrom", in.CreatedFrom, &out.CreatedFrom, "createdTo", in.CreatedTo, &out.CreatedTo)
	if in.Q != "" {
		search, message := post.ParseSearch(in.Q)
		if message != "" {
			faults = append(faults, apperr.Field{Pointer: "/q", Message: message})
		}
		out.Search = search
	}
	return out, faults
}

// MediaFound is the output of list_media.
type MediaFound struct {
	apiforms.MediaPage
	Timed
}

func (r *registrar) media() {
	t := r.tools
	scope := []credential.Scope{credential.MediaWrite}
	add(r, declaration{
		name: "create_media_upload", title: "Start an upload", scopes: scope,
		says: map[string]string{"contentType": "MIME type of the file, such as image/jpeg, image/png, image/webp, image/gif, " +
			"image/heic, image/avif, video/mp4, video/quicktime, video/webm or application/pdf."},
		description: "Starts the upload of one local image, video or PDF and returns uploadUrl. Send the bytes to uploadUrl by " +
			"PUT within an hour, with exactly the headers of the result, then call complete_media_upload. Size and type must " +
			"match the file. For a file on the web, call import_media instead.",
	}, t.startUpload)
	add(r, declaration{
		name: "complete_media_upload", title: "Complete an upload", scopes: scope, idempotent: true,
		timeout:     app.CopyTimeout,
		description: "Creates the asset from the bytes sent to uploadUrl. A repeated call returns the same asset.",
	}, t.completeUpload)
	add(r, declaration{
		name: "import_media", title: "Import a file", scopes: scope, openWorld: true, timeout: importTimeout,
		description: "Downloads an image, video or document from a public URL, or from a share link of Google Drive or " +
			"Dropbox, and stores it as an asset. Takes up to 5 minutes.",
	}, t.importMedia)
	add(r, declaration{
		name: "list_media", title: "List media", scopes: scope, readOnly: true, idempotent: true,
		description: "Lists the workspace's media assets, newest first, to use them again: pass `id` in mediaIds of " +
			"create_post.",
	}, t.listMedia)
}

// importTimeout is the time limit of the use case, plus time for the response.
const importTimeout = media.ImportLife + 20*time.Second

func (t *Tools) importMedia(ctx context.Context, c call, in ImportMedia) (ImportedMedia, error) {
	command := in.Command()
	if in.IdempotencyKey != "" {
		mark, err := kept{path: pathMedia}.fingerprint(c)
		if err != nil {
			return ImportedMedia{}, err
		}
		command.Key = &postgres.ImportKey{Key: in.IdempotencyKey, Fingerprint: mark}
	}
	created, replayed, err := t.cfg.App.ImportMedia(ctx, c.principal, command)
	if err != nil {
		return ImportedMedia{}, err
	}
	return ImportedMedia{Media: apiforms.ToAPIMedia(created), Replayed: replayed}, nil
}

func (t *Tools) listMedia(ctx context.Context, c call, in ListMedia) (MediaFound, error) {
	filter, faults := in.filter()
	if err := apperr.Invalid(faults); err != nil { // cannot fail after Check
		return MediaFound{}, err
	}
	use := cursor.Use{
		"media", c.principal.WorkspaceID.String(), string(in.Type), in.Q, strconv.FormatBool(in.Unused),
		event.FormatTime(filter.CreatedFrom), event.FormatTime(filter.CreatedTo),
	}
	found, next, err := apiforms.PageOf(t.cfg.Cursors, paging(in.Limit, in.Cursor), use,
		func(after ident.Media, limit int) ([]app.DeliveredAsset, error) {
			filter.Before, filter.Limit = after, limit
			return t.cfg.App.MediaList(ctx, c.principal, filter)
		}, func(last app.DeliveredAsset) ident.Media { return last.ID })
	return MediaFound{MediaPage: apiforms.MediaPage{Data: apiforms.ToAPIMediaList(found), NextCursor: next}}, err
}

func (t *Tools) startUpload(ctx context.Context, c call, in StartUpload) (keptAs[apiforms.Upload], error) {
	started, _, err := once(ctx, t, c, kept{
		key: in.IdempotencyKey, operation: "start-upload", path: pathUploads, created: true,
		location: func(started any) string {
			upload, _ := started.(apiforms.Upload)
			return pathMedia + "/" + upload.MediaID.String()
		},
	}, func(ctx context.Context) (apiforms.Upload, error) {
		started, err := t.cfg.App.StartUpload(ctx, c.principal, in.Command())
		if err != nil {
			return apiforms.Upload{}, err
		}
		return apiforms.ToAPIUpload(started), nil
	})
	return started, err
}

const (
	pathMedia   = "/v1/media"
	pathUploads = pathMedia + "/uploads"
)

func (t *Tools) completeUpload(ctx context.Context, c call, in CompleteUpload) (CompletedUpload, error) {
	created, replayed, err := once(ctx, t, c, kept{
		key: in.IdempotencyKey, operation: "complete-upload", path: pathUploads + "/" + in.MediaID.String() + "/complete",
		apart: []string{"mediaId"}, repeatable: true,
	}, func(ctx context.Context) (apiforms.Media, error) {
		created, err := t.cfg.App.CompleteUpload(ctx, c.principal, in.MediaID)
		if err != nil {
			return apiforms.Media{}, err
		}
		return apiforms.ToAPIMedia(created), nil
	})
	return CompletedUpload{Media: created, Replayed: replayed}, err
}

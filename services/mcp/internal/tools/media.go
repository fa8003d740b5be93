package tools

import (
	"context"

	"fencepost.internal/services/internal/apiforms"
	"fencepost.internal/services/internal/app"
	"fencepost.internal/shared/domain/credential"
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
	Replayed bool                   `json:"replayed" doc:"Whether this is the result of an earlier call with the same idempotencyKey."`
}

func (r *registrar) media() {
	t := r.tools
	scope := []credential.Scope{credential.MediaWrite}
	add(r, declaration{
		name: "create_media_upload", title: "Start an upload", scopes: scope,
		description: "Starts the upload of one image, video or PDF and returns uploadUrl. Send the bytes to uploadUrl by " +
			"PUT within an hour, with exactly the headers of the result, then call complete_media_upload. Size and type must " +
			"match the file.",
	}, t.startUpload)
	add(r, declaration{
		name: "complete_media_upload", title: "Complete an upload", scopes: scope, idempotent: true,
		timeout:     app.CopyTimeout,
		description: "Creates the asset from the bytes sent to uploadUrl. A repeated call returns the same asset.",
	}, t.completeUpload)
}

func (t *Tools) startUpload(ctx context.Context, c call, in StartUpload) (keptAs[apiforms.Upload], error) {
	started, _, err := once(ctx, t, c, kept{
		key: in.IdempotencyKey, operation: "start-upload", path: pathUploads, created: true,
		location: func(started any) string {
			upload, _ := started.(apiforms.Upload)
			return "/v1/media/" + upload.MediaID.String()
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

const pathUploads = "/v1/media/uploads"

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

package tools

import (
	"context"

	"socialpub.internal/services/internal/apiforms"
	"socialpub.internal/services/internal/app"
	"socialpub.internal/shared/domain/credential"
	"socialpub.internal/shared/kernel/apperr"
	"socialpub.internal/shared/kernel/ident"
)

// CompleteUpload is the input of complete_media_upload.
type CompleteUpload struct {
	MediaID ident.Media `json:"mediaId" format:"uuid" example:"0190a3c9-5f46-7bad-ae88-9d5b6a7f8e93" doc:"The mediaId from create_media_upload."`
}

// Check implements apiforms.Body.
func (CompleteUpload) Check() []apperr.Field { return nil }

// CompletedUpload is the output of complete_media_upload.
type CompletedUpload struct {
	Media apiforms.Media `json:"media" doc:"The asset. Pass its id in mediaIds of create_post."`
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
		patience:    app.CopyPatience,
		description: "Creates the asset from the bytes sent to uploadUrl. A repeated call returns the same asset.",
	}, t.completeUpload)
}

func (t *Tools) startUpload(ctx context.Context, c call, in apiforms.StartUpload) (apiforms.Upload, error) {
	started, err := t.cfg.App.StartUpload(ctx, c.principal, in.Command())
	if err != nil {
		return apiforms.Upload{}, err
	}
	return apiforms.ToAPIUpload(started), nil
}

func (t *Tools) completeUpload(ctx context.Context, c call, in CompleteUpload) (CompletedUpload, error) {
	made, err := t.cfg.App.CompleteUpload(ctx, c.principal, in.MediaID)
	if err != nil {
		return CompletedUpload{}, err
	}
	return CompletedUpload{Media: apiforms.ToAPIMedia(made)}, nil
}

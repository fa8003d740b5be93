package httpapi

import (
	"context"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"

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

type (
	mediaInput struct {
		ID string `path:"id" format:"uuid" example:"0190a3c9-5f46-7bad-ae88-9d5b6a7f8e93" doc:"ID of the asset."`
	}
	completeUploadInput struct {
		noBody

		ID string `path:"id" format:"uuid" example:"0190a3c9-5f46-7bad-ae88-9d5b6a7f8e93" doc:"The mediaId of the upload."`
	}
	listMediaInput struct {
		Type        apiforms.MediaType `query:"type" example:"IMAGE" doc:"Returns only assets of this kind."`
		Q           string             `query:"q" maxLength:"200" example:"spring tiles" doc:"Returns only assets whose name, alternative text or labels have these words, as in the list of posts."`
		Unused      string             `query:"unused" enum:"true" example:"true" doc:"If true, returns only assets that nothing refers to, which can be deleted."`
		CreatedFrom string             `query:"createdFrom" example:"2026-03-01T00:00:00Z" doc:"Returns only assets created at this time or later: RFC 3339 with an offset, a plus written as %2B."`
		CreatedTo   string             `query:"createdTo" example:"2026-04-01T00:00:00Z" doc:"Returns only assets created before this time."`
		apiforms.Paging
	}
	editMediaInput struct {
		body[apiforms.EditMedia]

		ID string `path:"id" format:"uuid" example:"0190a3c9-5f46-7bad-ae88-9d5b6a7f8e93" doc:"ID of the asset."`
	}
	importMediaInput  struct{ body[apiforms.ImportMedia] }
	startUploadInput  struct{ body[apiforms.StartUpload] }
	createMediaOutput struct {
		Location string `header:"Location" doc:"Path of the asset."`
		ETag     string `header:"ETag" doc:"Version of the asset, in quotes. A response that is replayed for an Idempotency-Key has no ETag."` //nolint:tagliatelle // as RFC 9110 writes it
		Body     apiforms.Media
	}
	mediaOutput struct {
		ETag string `header:"ETag" doc:"Version of the asset, in quotes. A response that is replayed for an Idempotency-Key has no ETag."` //nolint:tagliatelle // as RFC 9110 writes it
		Body apiforms.Media
	}
	mediaPageOutput struct{ Body apiforms.MediaPage }
	uploadOutput    struct {
		Location string `header:"Location" doc:"Path of the asset, which exists when the upload is complete."`
		Body     apiforms.Upload
	}
)

const (
	pathMedia   = "/v1/media"
	pathUploads = pathMedia + "/uploads"
	// importTimeout is the time limit of the use case, plus time for the response.
	importTimeout = media.ImportLife + 20*time.Second
)

func (r *registrar) media() {
	scope := []credential.Scope{credential.MediaWrite}
	r.mediaCreation(scope)
	add(r, operation{
		id: "list-media", method: http.MethodGet, path: pathMedia, tag: tagMedia, anyOf: scope,
		summary: "List media", description: "Returns the assets of the workspace, newest first.",
		good: "A page of assets.", response: apiforms.MediaPage{Data: []apiforms.Media{exampleAsset(true)}},
		errors: []apperr.Code{apperr.ValidationFailed, apperr.InvalidCursor},
	}, r.server.listMedia)
	formatted(documented(r.api.OpenAPI(), http.MethodGet, pathMedia), apiforms.FormatTime, "createdFrom", "createdTo")
	add(r, operation{
		id: "get-media", method: http.MethodGet, path: pathMedia + "/{id}", tag: tagMedia, anyOf: scope,
		summary: "Get a media asset", description: "Returns an asset with new URLs of its file and its thumbnail.",
		good: "The asset.", response: exampleAsset(true),
	}, r.server.getMedia)
	add(r, operation{
		id: "edit-media", method: http.MethodPatch, path: pathMedia + "/{id}", tag: tagMedia, anyOf: scope, conditional: true,
		summary: "Edit a media asset",
		description: "Changes the name or the alternative text of the asset. Posts that are not published yet use the text, " +
			"unless they have their own in `mediaAltTexts`.",
		good: "The changed asset.", response: exampleAsset(true),
		bodies: map[string]*huma.Example{
			"text": {Summary: "An alternative text", Value: map[string]any{"altText": exampleAltText}},
			"name": {Summary: "Another name", Value: map[string]any{"name": "spring-tiles.jpg"}},
		},
	}, r.server.editMedia)
	add(r, operation{
		id: "delete-media", method: http.MethodDelete, path: pathMedia + "/{id}", tag: tagMedia, anyOf: scope, conditional: true,
		summary: "Delete a media asset",
		description: "Deletes the asset and its file. Returns 409 while the asset is used by a post (in any state), the " +
			"brand kit of a channel, the logo of the workspace, or the avatar of a channel; `references` lists the uses.",
		status: http.StatusNoContent, good: "The asset is deleted.", errors: []apperr.Code{apperr.MediaInUse},
	}, r.server.deleteMedia)
}

func (r *registrar) mediaCreation(scope []credential.Scope) {
	add(r, operation{
		id: "import-media", method: http.MethodPost, path: pathMedia, tag: tagMedia, anyOf: scope, keepsKey: true,
		timeout: importTimeout,
		summary: "Import a file by URL", status: http.StatusCreated, good: "The asset, without its thumbnail.",
		response: exampleAsset(false), ownMembers: []string{"url"},
		description: "Downloads the file and stores it. Responds when the import has ended, after at most 5 minutes. The " +
			"import continues if the client disconnects, and its asset appears in the list. " +
			"Supports JPEG, PNG, WebP, GIF, HEIC, MP4, MOV, WebM and PDF. The type is detected from the content; the URL and " +
			"the Content-Type of the server are ignored. Follows at most 10 redirects. For a share link of Google Drive or " +
			"Dropbox, imports the file that it shows. " +
			"A repeated request with the same Idempotency-Key returns the current asset, or 404 if it has been " +
			"deleted.\n\nPlans: " + exampleLimits(),
		errors: []apperr.Code{apperr.ImportFailed, apperr.QuotaExceeded, apperr.NotFound},
		bodies: map[string]*huma.Example{"picture": {Summary: "An image", Value: map[string]any{
			"url": "https://cdn.example.com/spring.jpg", "name": "spring.jpg", "sourceUrl": "https://example.com/spring",
		}}},
	}, r.server.importMedia)
	add(r, operation{
		id: "start-upload", method: http.MethodPost, path: pathUploads, tag: tagMedia, anyOf: scope,
		summary: "Start an upload", status: http.StatusCreated, good: "The upload.", response: exampleUpload(),
		description: "Starts an upload. Send the raw bytes to `uploadUrl` by PUT within an hour, with exactly the headers " +
			"of the response. Then complete the upload. The declared size is checked against the quotas of the plan. It is " +
			"reserved until the upload is completed, for at most two hours.\n\nPlans: " + exampleLimits(),
		errors: []apperr.Code{apperr.QuotaExceeded},
		bodies: map[string]*huma.Example{"video": {Summary: "A video", Value: map[string]any{
			"fileName": "kiln.mp4", "contentType": media.ContentTypeMP4, "sizeBytes": exampleVideoSize,
		}}},
	}, r.server.startUpload)
	add(r, operation{
		id: "complete-upload", method: http.MethodPost, path: pathUploads + "/{id}/complete", tag: tagMedia, anyOf: scope,
		timeout: app.CopyTimeout, repeatable: true,
		summary: "Complete an upload", good: "The asset, without its thumbnail.", response: exampleAsset(false),
		description: "Creates the asset from the uploaded bytes. Their size and type must match the declared ones; " +
			"otherwise the upload is rejected and must be started again. A repeated call returns the same asset. Takes no body.",
		errors: []apperr.Code{apperr.UploadNotReceived, apperr.UploadMismatch},
	}, r.server.completeUpload)
}

func (s *Server) importMedia(ctx context.Context, p app.Principal, in *importMediaInput) (*createMediaOutput, error) {
	e, command := exchangeOf(ctx), in.value.Command()
	if e.onceKey != "" {
		mark, err := fingerprint(operation{method: http.MethodPost, path: pathMedia}, p, e.body)
		if err != nil {
			return nil, err
		}
		command.Key = &postgres.ImportKey{Key: e.onceKey, Fingerprint: mark}
	}
	created, replayed, err := s.app.ImportMedia(ctx, p, command)
	if err != nil {
		return nil, err
	}
	out := &createMediaOutput{
		Location: pathMedia + "/" + created.ID.String(), ETag: app.MediaTag(created.Asset), Body: apiforms.ToAPIMedia(created),
	}
	if replayed {
		response, err := responseOf(operation{status: http.StatusCreated}, out)
		if err != nil {
			return nil, err
		}
		e.replay = &response
	}
	return out, nil
}

func (s *Server) startUpload(ctx context.Context, p app.Principal, in *startUploadInput) (*uploadOutput, error) {
	started, err := s.app.StartUpload(ctx, p, in.value.Command())
	if err != nil {
		return nil, err
	}
	out := apiforms.ToAPIUpload(started)
	return &uploadOutput{Location: pathMedia + "/" + out.MediaID.String(), Body: out}, nil
}

func (s *Server) completeUpload(ctx context.Context, p app.Principal, in *completeUploadInput) (*mediaOutput, error) {
	return s.onMedia(in.ID, "upload", func(id ident.Media) (app.DeliveredAsset, error) {
		return s.app.CompleteUpload(ctx,
			p, id)
	})
}

func (s *Server) getMedia(ctx context.Context, p app.Principal, in *mediaInput) (*mediaOutput, error) {
	return s.onMedia(in.ID, "media asset", func(id ident.Media) (app.DeliveredAsset, error) {
		return s.app.Media(ctx, p,
			id)
	})
}

// onMedia parses the id and calls act, which reads or creates an asset.
func (*Server) onMedia(text, what string, act func(id ident.Media) (app.DeliveredAsset, error)) (*mediaOutput, error) {
	id, err := pathID[ident.Media](text, what)
	if err != nil {
		return nil, err
	}
	found, err := act(id)
	if err != nil {
		return nil, err
	}
	return &mediaOutput{ETag: app.MediaTag(found.Asset), Body: apiforms.ToAPIMedia(found)}, nil
}

// Resolve checks the filters, which the parameter schema cannot check.
func (in *listMediaInput) Resolve(huma.Context) []error {
	_, faults := in.filter()
	return asList(apperr.Invalid(faults))
}

func (in *listMediaInput) filter() (postgres.MediaFilter, []apperr.Field) {
	out := postgres.MediaFilter{Type: media.Type(in.Type), Unused: in.Unused != ""}
	faults := timeRange(timeParameter{"createdFrom", in.CreatedFrom, &out.CreatedFrom},
		timeParameter{"createdTo", in.CreatedTo, &out.CreatedTo})
	if in.Q != "" {
		search, message := post.ParseSearch(in.Q)
		if message != "" {
			faults = append(faults, apperr.Field{Pointer: "q", Message: message})
		}
		out.Search = search
	}
	return out, faults
}

func (s *Server) listMedia(ctx context.Context, p app.Principal, in *listMediaInput) (*mediaPageOutput, error) {
	filter, faults := in.filter()
	if err := apperr.Invalid(faults); err != nil { // cannot fail after Resolve
		return nil, err
	}
	use := cursor.Use{
		"media", p.WorkspaceID.String(), string(in.Type), in.Q, in.Unused, event.FormatTime(filter.CreatedFrom),
		event.FormatTime(filter.CreatedTo),
	}
	found, next, err := apiforms.PageOf(s.cursors, in.Paging, use,
		func(after ident.Media, limit int) ([]app.DeliveredAsset, error) {
			filter.Before, filter.Limit = after, limit
			return s.app.MediaList(ctx, p, filter)
		}, func(last app.DeliveredAsset) ident.Media { return last.ID })
	if err != nil {
		return nil, err
	}
	return &mediaPageOutput{Body: apiforms.MediaPage{Data: apiforms.ToAPIMediaList(found), NextCursor: next}}, nil
}

func (s *Server) editMedia(ctx context.Context, p app.Principal, in *editMediaInput) (*mediaOutput, error) {
	id, err := pathID[ident.Media](in.ID, "media asset")
	if err != nil {
		return nil, err
	}
	found, err := s.app.EditMedia(ctx, p, id, in.value.Edit())
	if err != nil {
		return nil, err
	}
	return &mediaOutput{ETag: app.MediaTag(found.Asset), Body: apiforms.ToAPIMedia(found)}, nil
}

func (s *Server) deleteMedia(ctx context.Context, p app.Principal, in *mediaInput) (*nothing, error) {
	id, err := pathID[ident.Media](in.ID, "media asset")
	if err != nil {
		return nil, err
	}
	return &nothing{}, s.app.DeleteMedia(ctx, p, id)
}

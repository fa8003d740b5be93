package apiforms

import (
	"fmt"
	"strings"

	"fencepost.internal/services/internal/app"
	"fencepost.internal/shared/domain/media"
	"fencepost.internal/shared/kernel/apperr"
)

// ImportMedia is the body of import-media.
type ImportMedia struct {
	URL       string `json:"url" minLength:"1" maxLength:"2048" example:"https://cdn.example.com/spring.jpg" doc:"URL of the file: http or https, a public address, port 80 or 443, no user information."`
	Name      string `json:"name,omitempty" nullable:"true" maxLength:"255" example:"spring.jpg" doc:"Name of the asset, stored unchanged. Must not contain control characters, / or \\. Defaults to the name of the file."`
	SourceURL string `json:"sourceUrl,omitempty" nullable:"true" maxLength:"2048" example:"https://example.com/spring" doc:"Source of the file, stored as attribution within the workspace. The service never requests it and never returns it."`
}

// Check implements Body.
func (b ImportMedia) Check() []apperr.Field {
	if b.Name == "" {
		return nil
	}
	return nameFaults("/name", b.Name)
}

func nameFaults(pointer, name string) []apperr.Field {
	if fault := media.NameFault(name); fault != "" {
		return []apperr.Field{{Pointer: pointer, Message: fault}}
	}
	return nil
}

// Command returns the input of the use case.
func (b ImportMedia) Command() app.ImportMedia {
	return app.ImportMedia{URL: b.URL, Name: b.Name, SourceURL: b.SourceURL}
}

// EditMedia is the body of edit-media.
type EditMedia struct {
	Name    Optional[string] `json:"name,omitzero" minLength:"1" maxLength:"255" example:"spring-tiles.jpg" doc:"Name of the asset, stored unchanged. Must not contain control characters, / or \\."`
	AltText Optional[string] `json:"altText,omitzero" nullable:"true" maxLength:"1500" example:"Blue tiles on a wall" doc:"Alternative text, for people who cannot see the file. null removes it."`
}

// Check implements Body.
func (b EditMedia) Check() []apperr.Field {
	switch {
	case !b.Name.Set && !b.AltText.Set:
		return []apperr.Field{{Pointer: "", Message: "nothing to change; send at least one of name, altText"}}
	case b.Name.Set && b.Name.Value != "":
		return nameFaults("/name", b.Name.Value)
	}
	return nil
}

// Edit returns the changes for the use case.
func (b EditMedia) Edit() media.Edit {
	return media.Edit{Name: b.Name.pointer(), AltText: b.AltText.pointer()}
}

// StartUpload is the body of start-upload.
type StartUpload struct {
	FileName    string `json:"fileName" minLength:"1" maxLength:"255" example:"spring.jpg" doc:"Name of the file, stored unchanged. Must not contain control characters, / or \\."`
	ContentType string `json:"contentType" minLength:"1" maxLength:"100" example:"image/jpeg" doc:"MIME type of the file: image/jpeg, image/png, image/webp, image/gif, image/heic, image/avif, video/mp4, video/quicktime, video/webm, application/pdf, application/msword, application/vnd.openxmlformats-officedocument.wordprocessingml.document, application/vnd.ms-powerpoint or application/vnd.openxmlformats-officedocument.presentationml.presentation. Must match the uploaded bytes."`
	SizeBytes   int64  `json:"sizeBytes" minimum:"1" example:"184320" doc:"Exact size of the file, in bytes."`
}

// Check implements Body.
func (b StartUpload) Check() []apperr.Field {
	var faults []apperr.Field
	if b.FileName != "" {
		faults = nameFaults("/fileName", b.FileName)
	}
	if _, ok := media.TypeOf(b.contentType()); !ok && b.ContentType != "" {
		faults = append(faults, apperr.Field{
			Pointer: "/contentType",
			Message: fmt.Sprintf("is %q, which is not supported; supported are %s",
				b.ContentType, strings.Join(media.ContentTypes(), ", ")),
		})
	}
	return faults
}

// contentType returns the declared type under the service's name for it.
func (b StartUpload) contentType() string {
	declared := strings.ToLower(strings.TrimSpace(b.ContentType))
	if declared == "image/heif" {
		return media.ContentTypeHEIC
	}
	return declared
}

// Command returns the input of the use case.
func (b StartUpload) Command() app.StartUpload {
	return app.StartUpload{FileName: b.FileName, ContentType: b.contentType(), Size: b.SizeBytes}
}

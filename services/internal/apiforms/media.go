package apiforms

import (
	"fencepost.internal/services/internal/app"
	"fencepost.internal/shared/domain/media"
	"fencepost.internal/shared/kernel/ident"
)

// Media is the media asset in responses (docs/contract.md, Media).
type Media struct {
	ID           ident.Media  `json:"id" format:"uuid" example:"0190a3c9-5f46-7bad-ae88-9d5b6a7f8e93" doc:"ID of the asset, for the field mediaIds of posts."`
	Name         string       `json:"name" example:"spring.jpg" doc:"Name of the file."`
	Type         MediaType    `json:"type" example:"IMAGE" doc:"Kind of the file, detected from its content."`
	URL          string       `json:"url" format:"uri" example:"https://media.example.com/media/3vq?X-Amz-Expires=86400&X-Amz-Signature=5d1f" doc:"URL of the file, valid for 24 hours. Do not store it; read the asset again for a new URL."`
	ThumbnailURL OptionalText `json:"thumbnailUrl" format:"uri" example:"https://media.example.com/media/9xk?X-Amz-Expires=86400&X-Amz-Signature=77ab" doc:"URL of the thumbnail, at most 640 pixels wide or high, valid for 24 hours. Null until the thumbnail exists; stays null if none can be created."`
	AltText      OptionalText `json:"altText" example:"Blue tiles on a wall" doc:"Alternative text, for people who cannot see the file. A post may replace it by mediaAltTexts."`
	Size         int64        `json:"size" minimum:"1" example:"184320" doc:"Size of the file, in bytes."`
	CreatedAt    Timestamp    `json:"createdAt" doc:"Time at which the upload or import was started."`
}

// MediaPage is a page of media assets.
type MediaPage struct {
	Data       []Media      `json:"data" doc:"Assets, newest first."`
	NextCursor OptionalText `json:"nextCursor" example:"AQGQo8YsE356m1VqLj1MW2BvQ2k3c1R5bWx3aGVyZQ" doc:"Cursor of the next page; null on the last page."`
}

// Upload holds the signed request for an upload (docs/contract.md, Uploads and imports).
type Upload struct {
	MediaID          ident.Media       `json:"mediaId" format:"uuid" example:"0190a3c9-5f46-7bad-ae88-9d5b6a7f8e93" doc:"ID of the future asset. Use it to complete the upload."`
	UploadURL        string            `json:"uploadUrl" format:"uri" example:"https://media.example.com/uploads/7mz?X-Amz-Expires=3600&X-Amz-Signature=c0de" doc:"URL that receives the bytes, valid for one file of the declared type and size."`
	Method           string            `json:"method" enum:"PUT" example:"PUT" doc:"HTTP method of the upload."`
	Headers          map[string]string `json:"headers" example:"{\"Content-Type\":\"image/jpeg\"}" doc:"Headers to send with the bytes, unchanged."`
	ExpiresInSeconds int               `json:"expiresInSeconds" minimum:"1" example:"3600" doc:"Validity of uploadUrl, in seconds."`
	Parts            []UploadPart      `json:"parts,omitempty" doc:"Parts of a file above 64 MiB. Send the whole file to uploadUrl, or each part to its own URL in any order, with the same method and headers. A part that failed is sent again alone. Absent for smaller files."`
}

// UploadPart is a part of a large upload, with its signed request.
type UploadPart struct {
	Number    int    `json:"number" minimum:"1" example:"1" doc:"Number of the part, from 1."`
	Offset    int64  `json:"offset" minimum:"0" example:"0" doc:"First byte of the part in the file."`
	SizeBytes int64  `json:"sizeBytes" minimum:"1" example:"33554432" doc:"Exact size of the part, in bytes."`
	URL       string `json:"url" format:"uri" example:"https://media.example.com/uploads/7mz-1?X-Amz-Expires=3600&X-Amz-Signature=c0de" doc:"URL that receives the bytes of the part, valid as long as uploadUrl."`
}

// ToAPIMedia converts an asset.
func ToAPIMedia(a app.DeliveredAsset) Media {
	return Media{
		ID: a.ID, Name: a.Name, Type: MediaType(a.Type), URL: a.URL, ThumbnailURL: OptionalText(a.ThumbnailURL),
		AltText: OptionalText(a.AltText), Size: a.Size, CreatedAt: Timestamp(a.CreatedAt),
	}
}

// ToAPIMediaList converts assets.
func ToAPIMediaList(assets []app.DeliveredAsset) []Media {
	return each(assets, ToAPIMedia)
}

// ToAPIUpload converts a started upload.
func ToAPIUpload(u app.StartedUpload) Upload {
	headers := make(map[string]string, len(u.Signed.Header))
	for name := range u.Signed.Header {
		headers[name] = u.Signed.Header.Get(name)
	}
	var parts []UploadPart
	for _, part := range u.Parts {
		parts = append(parts, UploadPart{Number: part.Number, Offset: part.Offset, SizeBytes: part.Size, URL: part.URL})
	}
	return Upload{
		MediaID: u.ID, UploadURL: u.Signed.URL, Method: "PUT", Headers: headers,
		ExpiresInSeconds: int(media.UploadLife.Seconds()), Parts: parts,
	}
}

package apiforms

import (
	"socialpub.internal/services/internal/app"
	"socialpub.internal/shared/domain/media"
	"socialpub.internal/shared/kernel/ident"
)

// Media is the media asset in responses (specification, Media asset).
type Media struct {
	ID           ident.Media  `json:"id" format:"uuid" example:"0190a3c9-5f46-7bad-ae88-9d5b6a7f8e93" doc:"Id of the asset; what mediaIds of posts hold."`
	Name         string       `json:"name" example:"spring.jpg" doc:"Name of the file."`
	Type         MediaType    `json:"type" example:"IMAGE" doc:"Kind of the file, told from its bytes."`
	URL          string       `json:"url" format:"uri" example:"https://media.example.com/media/3vq?X-Amz-Expires=86400&X-Amz-Signature=5d1f" doc:"Where the file can be read, for 24 hours. Read the asset again for a fresh address, and do not store it."`
	ThumbnailURL OptionalText `json:"thumbnailUrl" format:"uri" example:"https://media.example.com/media/9xk?X-Amz-Expires=86400&X-Amz-Signature=77ab" doc:"A small picture of it, up to 640 pixels wide or high, for 24 hours; null until it is made, and for good when none can be made."`
	Size         int64        `json:"size" minimum:"1" example:"184320" doc:"Size of the file, in bytes."`
	CreatedAt    Timestamp    `json:"createdAt" doc:"When its upload or import was begun."`
}

// MediaPage is a page of media assets.
type MediaPage struct {
	Data       []Media      `json:"data" doc:"Assets, newest first."`
	NextCursor OptionalText `json:"nextCursor" example:"AQGQo8YsE356m1VqLj1MW2BvQ2k3c1R5bWx3aGVyZQ" doc:"Send it as cursor to get the next page; null on the last one."`
}

// Upload holds the signed request for an upload (specification, Media).
type Upload struct {
	MediaID          ident.Media       `json:"mediaId" format:"uuid" example:"0190a3c9-5f46-7bad-ae88-9d5b6a7f8e93" doc:"Id of the asset to be. Complete the upload under this id."`
	UploadURL        string            `json:"uploadUrl" format:"uri" example:"https://media.example.com/uploads/7mz?X-Amz-Expires=3600&X-Amz-Signature=c0de" doc:"Where to send the bytes. It is good for one file of the declared type and size."`
	Method           string            `json:"method" enum:"PUT" example:"PUT" doc:"How to send them."`
	Headers          map[string]string `json:"headers" example:"{\"Content-Type\":\"image/jpeg\"}" doc:"Headers to send with them, as they are."`
	ExpiresInSeconds int               `json:"expiresInSeconds" minimum:"1" example:"3600" doc:"How long uploadUrl is good."`
}

// ToAPIMedia converts an asset.
func ToAPIMedia(a app.DeliveredAsset) Media {
	return Media{
		ID: a.ID, Name: a.Name, Type: MediaType(a.Type), URL: a.URL, ThumbnailURL: OptionalText(a.ThumbnailURL), Size: a.Size,
		CreatedAt: Timestamp(a.CreatedAt),
	}
}

// ToAPIMediaList converts assets.
func ToAPIMediaList(assets []app.DeliveredAsset) []Media {
	list := make([]Media, len(assets))
	for i, a := range assets {
		list[i] = ToAPIMedia(a)
	}
	return list
}

// ToAPIUpload converts a started upload.
func ToAPIUpload(u app.StartedUpload) Upload {
	headers := make(map[string]string, len(u.Signed.Header))
	for name := range u.Signed.Header {
		headers[name] = u.Signed.Header.Get(name)
	}
	return Upload{
		MediaID: u.ID, UploadURL: u.Signed.URL, Method: "PUT", Headers: headers, ExpiresInSeconds: int(media.UploadLife.Seconds()),
	}
}

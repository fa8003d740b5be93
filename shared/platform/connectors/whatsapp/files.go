package whatsapp

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strings"

	"fencepost.internal/shared/domain/inbox"
	"fencepost.internal/shared/domain/media"
	"fencepost.internal/shared/platform"
	"fencepost.internal/shared/platform/connectors/internal/graph"
	"fencepost.internal/shared/platform/connectors/internal/httpcall"
)

var (
	_ platform.FileSource    = (*Connector)(nil)
	_ platform.ReplyUploader = (*Connector)(nil)
)

// The limits of files (https://developers.facebook.com/documentation/business-messaging/whatsapp/business-phone-numbers/media).
const (
	mostPicture  = 5 << 20
	mostVideo    = 16 << 20
	mostDocument = 100 << 20
	mostCaption  = 1024
	// mostFailures is a quarter of the failed requests in an hour after which WhatsApp refuses all for half an hour.
	mostFailures = 5
)

// replyFiles describes the files that answers can have.
func replyFiles() inbox.ReplyFiles {
	return inbox.ReplyFiles{Caption: mostCaption, Kinds: []inbox.FileKind{
		{Types: []string{media.ContentTypeJPEG, media.ContentTypePNG}, Most: mostPicture, Words: "pictures as JPEG or PNG"},
		{Types: []string{media.ContentTypeMP4}, Most: mostVideo, Words: "videos as MP4"},
		{Types: []string{
			media.ContentTypePDF, media.ContentTypeDOC, media.ContentTypeDOCX, media.ContentTypePPT, media.ContentTypePPTX,
		}, Most: mostDocument, Words: "PDF, Word and PowerPoint documents"},
	}}
}

// FileTerms describes the files of messages. An API at another address than the official one has its files there.
func (c *Connector) FileTerms() platform.FileTerms {
	hosts := []string{"lookaside.fbsbx.com", "*.fbcdn.net"}
	if base, err := url.Parse(c.client.BaseURL()); err == nil && c.client.BaseURL() != OfficialAPI {
		hosts = []string{base.Host}
	}
	return platform.FileTerms{Hosts: hosts, Most: mostDocument, Failures: mostFailures}
}

// FindFile returns the address of a file, which is valid for five minutes, with the token.
func (c *Connector) FindFile(ctx context.Context, account platform.Account, reference string) (platform.FoundFile, error) {
	if account.Credentials.AccessToken == "" || account.ExternalID == "" {
		return platform.FoundFile{}, c.client.Reconnect(errAccount)
	}
	request := c.signed(account.Credentials, httpcall.Request{Operation: "file", Path: []string{reference}})
	response, err := c.client.Call(ctx, request)
	if err != nil {
		return platform.FoundFile{}, err
	}
	if !response.OK() {
		if code := graph.ErrorOf(response).Code; response.Status == http.StatusNotFound || code == codeParameter {
			return platform.FoundFile{}, c.client.Fail(platform.ClassRejected, platform.CodeMediaRefused, response.Cause("no file"),
				"WhatsApp does not have the file any more.")
		}
		return platform.FoundFile{}, c.client.IdentityFailure(c.failure(response))
	}
	var found struct {
		URL  string          `json:"url"`
		Size httpcall.Figure `json:"file_size"` // a number or its digits
	}
	if response.Decode(&found) != nil || found.URL == "" {
		return platform.FoundFile{}, c.client.Unclear(response, "no address of the file")
	}
	file := platform.FoundFile{Address: found.URL, Header: request.Header}
	if size := found.Size.Value(); size != nil {
		file.Size = *size
	}
	return file, nil
}

// codeParameter is that of an object that does not exist.
const codeParameter = 100

var errNoFile = errors.New("the answer has no file")

// UploadReply uploads the file of an answer to the number, which keeps it for 30 days.
func (c *Connector) UploadReply(ctx context.Context, account platform.Account, reply platform.Reply) (string, error) {
	if account.Credentials.AccessToken == "" || account.ExternalID == "" {
		return "", c.client.Reconnect(errAccount)
	}
	if len(reply.Media) != 1 || reply.Files == nil {
		return "", c.client.ReplyFailure(c.client.Unreadable(errNoFile))
	}
	file, err := reply.Files.Open(ctx, reply.Media[0])
	if err != nil {
		return "", c.client.ReplyFailure(c.client.Unreadable(err))
	}
	defer func() { _ = file.Close() }()
	response, err := c.client.Call(ctx, c.signed(account.Credentials, httpcall.Request{
		Operation: "upload", Method: http.MethodPost, Path: []string{account.ExternalID, "media"}, Multipart: &httpcall.Multipart{
			Fields: [][2]string{{"messaging_product", "whatsapp"}, {"type", file.ContentType()}},
			Files: []httpcall.Part{{
				Field: "file", FileName: file.Name(), ContentType: file.ContentType(), Size: file.Size(),
				Open: func() (io.ReadCloser, error) { return io.NopCloser(io.NewSectionReader(file, 0, file.Size()+1)), nil },
			}},
		},
	}))
	if err != nil {
		return "", err
	}
	if !response.OK() {
		failure := c.failure(response)
		if failure.Class == platform.ClassUnknown { // nothing was sent
			return "", c.client.Unavailable(failure.Cause)
		}
		return "", failure
	}
	var uploaded struct {
		ID string `json:"id"`
	}
	if response.Decode(&uploaded) != nil || !httpcall.Token(uploaded.ID) {
		return "", c.client.Unavailable(response.Cause("success without the file's ID"))
	}
	return uploaded.ID, nil
}

// outgoingFile is the file of a message, in the member that its type names.
type outgoingFile struct {
	ID      string `json:"id"`
	Caption string `json:"caption,omitempty"`
	Name    string `json:"filename,omitempty"` // of a document
}

// attached sets the file of an answer.
func (o *outgoing) attached(reply platform.Reply) {
	asset := reply.Media[0]
	file := &outgoingFile{ID: reply.Handle, Caption: reply.Text}
	switch kind, _, _ := strings.Cut(asset.ContentType, "/"); kind {
	case "image":
		o.Type, o.Image = kind, file
	case "video":
		o.Type, o.Video = kind, file
	default:
		o.Type, o.Document, file.Name = "document", file, asset.Name
	}
}

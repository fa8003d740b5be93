package telegram

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"fencepost.internal/shared/domain/inbox"
	"fencepost.internal/shared/domain/media"
	"fencepost.internal/shared/platform"
	"fencepost.internal/shared/platform/connectors/internal/httpcall"
)

var _ platform.FileSource = (*Business)(nil)

// The limits of files (https://core.telegram.org/bots/api#getfile, #sending-files, #sendphoto).
const (
	mostReceived = 20 << 20
	mostPhoto    = 10 << 20
	mostSent     = 50 << 20
	mostCaption  = 1024
)

// replyFiles describes the files that answers can have.
func replyFiles() inbox.ReplyFiles {
	return inbox.ReplyFiles{Caption: mostCaption, Kinds: []inbox.FileKind{
		{Types: []string{media.ContentTypeJPEG, media.ContentTypePNG, media.ContentTypeWebP}, Most: mostPhoto, Words: "pictures"},
		{Most: mostSent, Words: "other files"},
	}}
}

// FileTerms describes the files of messages, which are on the server of the API.
func (b *Business) FileTerms() platform.FileTerms {
	host := ""
	if base, err := url.Parse(b.api.client.BaseURL()); err == nil {
		host = base.Host
	}
	return platform.FileTerms{Hosts: []string{host}, Most: mostReceived}
}

var errFilePath = errors.New("the response has no path of the file")

// FindFile returns the address of a file, which is valid for an hour. It contains the token of the bot.
func (b *Business) FindFile(ctx context.Context, account platform.Account, reference string) (platform.FoundFile, error) {
	client, token := b.api.client, account.Credentials.AccessToken
	var found struct {
		Path string `json:"file_path"`
		Size int64  `json:"file_size"`
	}
	a, err := b.ask(ctx, question{token: token, method: "getFile", parameters: map[string]any{"file_id": reference}}, &found)
	failure, failed := errors.AsType[*platform.Failure](err)
	switch {
	case failed && a.has("file is too big"):
		return platform.FoundFile{}, client.Fail(platform.ClassRejected, platform.CodeFileTooLarge, failure.Cause,
			"Telegram gives bots only files up to 20 MB. Look in Telegram.")
	case failed && failure.Class == platform.ClassRejected:
		failure.Message = "Telegram does not have the file any more."
		return platform.FoundFile{}, failure
	case err != nil:
		return platform.FoundFile{}, err
	}
	segments := strings.Split(found.Path, "/")
	for i, segment := range segments {
		if segment == "" || segment == "." || segment == ".." {
			return platform.FoundFile{}, client.Unavailable(errFilePath)
		}
		segments[i] = url.PathEscape(segment)
	}
	return platform.FoundFile{
		Address: client.BaseURL() + "/file/bot" + url.PathEscape(token) + "/" + strings.Join(segments, "/"), Size: found.Size,
	}, nil
}

// fileRequest returns the request that sends an answer with a file. The files are open.
func (a attachments) fileRequest(token string, body replyBody) httpcall.Request {
	only := a.items(body.Text)[0]
	fields := append(only.fields(body.Chat), [2]string{"business_connection_id", body.Connection})
	if body.ReplyTo != nil {
		fields = append(fields, [2]string{"reply_parameters", `{"message_id":` + strconv.FormatInt(body.ReplyTo.Message, 10) + "}"})
	}
	return httpcall.Request{
		Operation: "reply", Method: http.MethodPost, Path: []string{"bot" + token, only.Type.method()}, Secrets: []string{token},
		Multipart: &httpcall.Multipart{Fields: fields, Files: a.parts(string(only.Type))},
	}
}

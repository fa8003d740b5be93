package telegram_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/media"
	"fencepost.internal/shared/kernel/ident"
	"fencepost.internal/shared/platform"
	"fencepost.internal/shared/platform/platformtest"
)

func TestFindFile(t *testing.T) {
	t.Parallel()
	o := open(t, map[string][]platformtest.Response{called("getFile"): {
		result(`{"file_id":"AgAC","file_unique_id":"u","file_size":9,"file_path":"photos/file 1.jpg"}`),
		refusal(400, "400", "Bad Request: file is too big"), refusal(400, "400", "Bad Request: wrong file_id or the file is temporarily unavailable"),
		result(`{"file_id":"AgAC","file_path":"photos/../../other"}`), refusal(401, "401", "Unauthorized"),
	}})
	found, err := o.link.FindFile(t.Context(), o.account, "AgAC")
	require.NoError(t, err)
	require.Equal(t, platform.FoundFile{
		Address: o.script.URL + "/file/bot" + strings.ReplaceAll(token, ":", "%3A") + "/photos/file%201.jpg", Size: 9,
	}, platform.FoundFile{Address: strings.ReplaceAll(found.Address, token, strings.ReplaceAll(token, ":", "%3A")), Size: found.Size})
	require.JSONEq(t, `{"file_id":"AgAC"}`, o.script.Requests()[0].Body)
	for _, want := range []struct {
		class platform.Class
		says  string
	}{
		{platform.ClassRejected, "up to 20 MB"},
		{platform.ClassRejected, "does not have the file"},
		{platform.ClassTransient, ""},
		{platform.ClassReconnect, ""},
	} {
		_, err := o.link.FindFile(t.Context(), o.account, "AgAC")
		failure := platformtest.Failure(t, err)
		require.Equal(t, want.class, failure.Class, "%v", err)
		require.Contains(t, failure.Message, want.says)
		require.NotContains(t, err.Error(), token)
	}
	terms := o.link.FileTerms()
	require.Equal(t, []string{strings.TrimPrefix(o.script.URL, "http://")}, terms.Hosts)
	require.Equal(t, int64(20<<20), terms.Most)
}

func TestSendReplyWithFile(t *testing.T) {
	t.Parallel()
	picture := platformtest.Attachment{
		Asset: media.Asset{ID: ident.New[ident.Media](), ContentType: media.ContentTypePNG, Type: media.Image, Size: 6}, Bytes: []byte("pixels"),
	}
	o := open(t, map[string][]platformtest.Response{called("sendPhoto"): {
		result(`{"message_id":51301,"chat":{"id":5550001,"type":"private"}}`), refusal(400, "400", "Bad Request: IMAGE_PROCESS_FAILED"),
	}})
	r := reply()
	r.Media, r.Files = []media.Asset{picture.Asset}, platformtest.Files(t, picture)
	id, err := o.link.SendReply(t.Context(), o.account, r)
	require.NoError(t, err)
	require.Equal(t, "5550001/51301", id)
	sent := o.script.Requests()[0]
	for _, part := range []string{
		"name=\"chat_id\"\r\n\r\n5550001\r\n", "name=\"caption\"\r\n\r\nYes <b>&</b>\r\n", "name=\"business_connection_id\"\r\n\r\n" + connection,
		"name=\"reply_parameters\"\r\n\r\n{\"message_id\":51234}", "name=\"photo\"; filename=", "\r\n\r\npixels\r\n",
	} {
		require.Contains(t, sent.Body, part)
	}
	_, err = o.link.SendReply(t.Context(), o.account, r)
	failure := platformtest.Failure(t, err)
	require.Equal(t, []string{string(platform.ClassRejected), platform.CodeMediaRefused}, []string{string(failure.Class), failure.Code})
	require.Contains(t, failure.Message, "the file of this answer")
}

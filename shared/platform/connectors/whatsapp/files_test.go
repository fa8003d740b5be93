package whatsapp_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/media"
	"fencepost.internal/shared/kernel/clock/clocktest"
	"fencepost.internal/shared/kernel/ident"
	"fencepost.internal/shared/platform"
	"fencepost.internal/shared/platform/connectors/internal/httpcall"
	"fencepost.internal/shared/platform/connectors/whatsapp"
	"fencepost.internal/shared/platform/platformtest"
)

func TestFindFile(t *testing.T) {
	t.Parallel()
	const call, address = "GET /v26.0/1037543291543636", "https://lookaside.fbsbx.com/whatsapp_business/attachments/?mid=1"
	b := setup(t, map[string][]platformtest.Response{call: {
		body(`{"messaging_product":"whatsapp","url":"` + address + `","mime_type":"image/jpeg","file_size":"2048","id":"1037543291543636"}`),
		refused(400, "100"), refused(401, "190"),
		{Status: 502},
		body(`{}`),
	}})
	found, err := b.link.FindFile(t.Context(), b.account, "1037543291543636")
	require.NoError(t, err)
	require.Equal(t, address, found.Address)
	require.Equal(t, int64(2048), found.Size)
	require.Equal(t, "Bearer "+token, http.Header(found.Header).Get("Authorization"))
	for _, class := range []platform.Class{platform.ClassRejected, platform.ClassReconnect, platform.ClassTransient, platform.ClassTransient} {
		_, err := b.link.FindFile(t.Context(), b.account, "1037543291543636")
		require.Equal(t, class, platformtest.Failure(t, err).Class, "%v", err)
		require.NotContains(t, err.Error(), token)
	}
	require.NotContains(t, b.link.FileTerms().Hosts, "lookaside.fbsbx.com", "of another API")
	official, err := whatsapp.New(whatsapp.Config{Wire: httpcall.Config{Clock: clocktest.New(now())}})
	require.NoError(t, err)
	require.Equal(t, platform.FileTerms{Hosts: []string{"lookaside.fbsbx.com", "*.fbcdn.net"}, Most: 100 << 20, Failures: 5}, official.FileTerms())
}

// TestSendReplyWithFile uploads a file, which may be repeated, and sends it by its handle.
func TestSendReplyWithFile(t *testing.T) {
	t.Parallel()
	const uploadCall = "POST /v26.0/" + numberID + "/media"
	b := setup(t, map[string][]platformtest.Response{
		uploadCall: {body(`{"id":"4490709327384033"}`), {Status: 503}, refused(400, "131053"), body(`{}`)},
		sendCall:   {body(`{"messages":[{"id":"wamid.answer"}]}`)},
	})
	r := reply()
	r.Text = ""
	for contentType, want := range map[string]string{
		media.ContentTypePNG: `"type":"image","image":{"id":"4490709327384033"}`,
		media.ContentTypeMP4: `"type":"video","video":{"id":"4490709327384033"}`,
		media.ContentTypePDF: `"type":"document","document":{"id":"4490709327384033","filename":"plan.pdf"}`,
	} {
		file := platformtest.Attachment{
			Asset: media.Asset{ID: ident.New[ident.Media](), ContentType: contentType, Name: "plan.pdf", Size: 5}, Bytes: []byte("bytes"),
		}
		r.Media, r.Files = []media.Asset{file.Asset}, platformtest.Files(t, file)
		if r.Handle == "" {
			handle, err := b.link.UploadReply(t.Context(), b.account, r)
			require.NoError(t, err)
			r.Handle = handle
			uploaded := b.script.Requests()[0]
			for _, part := range []string{"name=\"messaging_product\"\r\n\r\nwhatsapp", "name=\"type\"\r\n\r\n" + contentType, "\r\n\r\nbytes\r\n"} {
				require.Contains(t, uploaded.Body, part)
			}
		}
		_, err := b.link.SendReply(t.Context(), b.account, r)
		require.NoError(t, err)
		seen := b.script.Requests()
		require.Contains(t, seen[len(seen)-1].Body, want)
		require.NotContains(t, seen[len(seen)-1].Body, `"text"`)
	}
	for _, class := range []platform.Class{platform.ClassTransient, platform.ClassRejected, platform.ClassTransient} {
		_, err := b.link.UploadReply(t.Context(), b.account, r)
		require.Equal(t, class, platformtest.Failure(t, err).Class, "%v", err)
	}
}

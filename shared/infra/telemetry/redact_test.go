package telemetry_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/infra/telemetry"
)

func TestRedact(t *testing.T) {
	t.Parallel()

	const botToken = "123456789:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw0"
	hex := strings.Repeat("0123456789abcdef", 4)

	tests := map[string]struct{ text, want string }{
		"api key":        {"key svc_live_AbC123xyz refused", "key svc_live_[redacted] refused"},
		"test key":       {"key svc_test_AbC123xyz refused", "key svc_test_[redacted] refused"},
		"access token":   {"svc_oat_AbC123", "svc_oat_[redacted]"},
		"refresh token":  {"(svc_ort_AbC123)", "(svc_ort_[redacted])"},
		"invitation":     {"/invitations/svc_inv_AbC123", "/invitations/svc_inv_[redacted]"},
		"password reset": {"/reset-password/svc_pwr_AbC123", "/reset-password/svc_pwr_[redacted]"},
		"address change": {"/confirm-address/svc_adr_AbC123", "/confirm-address/svc_adr_[redacted]"},
		"webhook secret": {"whsec_a+b/c=d, next", "whsec_[redacted], next"},
		"bot token in a path": {
			"https://api.telegram.org/bot" + botToken + "/sendMessage",
			"https://api.telegram.org/bot123456789:[redacted]/sendMessage",
		},
		"bot token alone":      {"token was " + botToken, "token was 123456789:[redacted]"},
		"bot token escaped":    {"/bot123456789%3AAAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw0/", "/bot123456789%3A[redacted]/"},
		"bearer":               {"sent Bearer abc.DEF-123_~+/= to it", "sent Bearer [redacted] to it"},
		"bearer in lower case": {"bearer abcdefgh", "bearer [redacted]"},
		"basic":                {"Basic dXNlcjpwYXNzd29yZA==", "Basic [redacted]"},
		"jwt":                  {"got eyJhbGciOi.eyJzdWIiOi.c2lnbmF0dXJl", "got [redacted]"},
		"authorization header": {
			"Authorization: OAuth oauth_x=\"1\"\r\nAccept: */*", "Authorization: [redacted]\r\nAccept: */*",
		},
		"headers as Go prints": {"map[Authorization:[Bearer abc] X:[y]]", "map[Authorization:[redacted]"},
		"cookie header":        {"Cookie: a=b; c=d", "Cookie: [redacted]"},
		"set-cookie header":    {"set-cookie: __Host-s=abc; Path=/", "set-cookie: [redacted]"},
		"signature header":     {"X-Service-Signature: t=1,v1=ab", "X-Service-Signature: [redacted]"},
		"signature alone":      {"t=1767225600,v1=" + hex + ",v1=" + hex, "t=1767225600,v1=[redacted],v1=[redacted]"},
		"database address":     {"postgres://app:p@ss@db:5432/x failed", "postgres://[redacted]@db:5432/x failed"},
		"dsn": {
			"host=db user=app password=hunter2 dbname=x", "host=db user=app password=[redacted] dbname=x",
		},
		"oauth callback": {
			"https://a.test/cb?code=AbC&state=xyz&x=1", "https://a.test/cb?code=[redacted]&state=[redacted]&x=1",
		},
		"fragment": {"https://a.test/#access_token=AbC&x=1", "https://a.test/#access_token=[redacted]&x=1"},
		"form body": {
			"grant_type=refresh_token&refresh_token=AbC&client_id=me",
			"grant_type=refresh_token&refresh_token=[redacted]&client_id=me",
		},
		"presigned address": {
			"http://s3/x?X-Amz-Credential=a%2Fb&X-Amz-Signature=00ff&partNumber=1",
			"http://s3/x?X-Amz-Credential=[redacted]&X-Amz-Signature=[redacted]&partNumber=1",
		},
		"prefixed name": {"x_client_secret=AbC", "x_client_secret=[redacted]"},
		"json":          {`{"access_token": "Ab\"C", "id": 1}`, `{"access_token": "[redacted]", "id": 1}`},
		"json in json": {
			`{"body":"{\"refresh_token\":\"AbC\",\"id\":1}"}`, `{"body":"{\"refresh_token\":\"[redacted]\",\"id\":1}"}`,
		},
		"several":              {"svc_live_a1 and svc_live_b2", "svc_live_[redacted] and svc_live_[redacted]"},
		"error code in words":  {"code=INVALID_STATE state=SCHEDULED", "code=INVALID_STATE state=SCHEDULED"},
		"error code in json":   {`{"code":"INVALID_STATE"}`, `{"code":"INVALID_STATE"}`},
		"token in words":       {"the Bearer token is missing", "the Bearer token is missing"},
		"address without user": {"https://ok.test/@user?page=2", "https://ok.test/@user?page=2"},
		"mail address":         {"mail to a@b.test", "mail to a@b.test"},
		"ids and times": {
			"post 0190a6c2-7b1e-7c3f-8000-1234567890ab at 2026-03-01T09:00:00.000Z",
			"post 0190a6c2-7b1e-7c3f-8000-1234567890ab at 2026-03-01T09:00:00.000Z",
		},
		"host and port": {
			"dial tcp 127.0.0.1:54320: connection refused", "dial tcp 127.0.0.1:54320: connection refused",
		},
		"nothing":               {"", ""},
		"invalid utf-8 is kept": {"\xff svc_live_a1", "\xff svc_live_[redacted]"},
	}

	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			got := telemetry.Redact(test.text)
			require.Equal(t, test.want, got)
			require.Equal(t, test.want, telemetry.Redact(got), "idempotent")
		})
	}
}

func TestIsSecretKey(t *testing.T) {
	t.Parallel()

	for _, name := range []string{
		"authorization", "Authorization", "Proxy-Authorization", "cookie", "Set-Cookie", "X-Service-Signature",
		"token", "access_token", "accessToken", "refresh_token", "bot_token", "secret", "client_secret",
		"X_CLIENT_SECRET", "password", "api_key", "apiKey", "X-Api-Key", "DATABASE_URL", "ENCRYPTION_KEYS",
		"webhook.secret", "signing secret",
	} {
		require.True(t, telemetry.IsSecretKey(name), name)
	}

	for _, name := range []string{
		"code", "state", "token_status", "tokens", "secretary", "key", "post_id", "idempotency_key", "", "author",
	} {
		require.False(t, telemetry.IsSecretKey(name), name)
	}
}

func BenchmarkRedact(b *testing.B) {
	for b.Loop() {
		telemetry.Redact("published post 0190a6c2-7b1e-7c3f-8000-1234567890ab to https://x.test/status/1?page=2 in 120ms")
	}
}

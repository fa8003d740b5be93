package linkedin_test

import (
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/platform"
	"fencepost.internal/shared/platform/connectors/linkedin"
	"fencepost.internal/shared/platform/platformtest"
)

func problem(status int, code, message string) platformtest.Response {
	return platformtest.Response{
		Status: status, Body: `{"status":` + strconv.Itoa(status) + `,"code":"` + code + `","message":"` + message + `"}`,
	}
}

func input(status int, code, message string) platformtest.Response {
	return platformtest.Response{
		Status: status,
		Body: `{"errorDetailType":"com.linkedin.common.error.BadRequest","message":"` + message +
			`","errorDetails":{"inputErrors":[{"description":"d","input":{},"code":"` + code + `"}]},"status":` +
			strconv.Itoa(status) + `}`,
	}
}

func duplicate() platformtest.Response {
	return input(422, "DUPLICATE_POST",
		"com.linkedin.content.common.exception.BadRequestResponseException: Content is a duplicate of "+urn)
}

func TestErrors(t *testing.T) {
	t.Parallel()

	for name, test := range map[string]struct {
		response platformtest.Response
		class    platform.Class
		code     string
	}{
		"expired token": {problem(401, "EXPIRED_ACCESS_TOKEN", "expired"), platform.ClassRefresh, "TOKEN_EXPIRED"},
		"revoked token": {
			platformtest.Response{Status: 401, Body: `{"serviceErrorCode":65601,"status":401}`},
			platform.ClassRefresh,
			"TOKEN_EXPIRED",
		},
		"401 as a page": {platformtest.Response{Status: 401, Body: "<html>"}, platform.ClassRefresh, "TOKEN_EXPIRED"},
		"access denied": {
			problem(403, "ACCESS_DENIED", "Not enough permissions to access: posts.CREATE.20260901"), platform.ClassReconnect,
			post.ErrorNeedsReconnect,
		},
		"denied by its number": {
			platformtest.Response{Status: 403, Body: `{"serviceErrorCode":100,"message":"Not enough permissions"}`},
			platform.ClassReconnect, post.ErrorNeedsReconnect,
		},
		"restricted": {
			problem(403, "ACCESS_DENIED", "The member account is restricted"), platform.ClassUser, linkedin.CodeAccount,
		},
		"gone": {
			problem(404, "RESOURCE_NOT_FOUND", "no author"), platform.ClassReconnect, post.ErrorNeedsReconnect,
		},
		"conflict":     {problem(409, "CONFLICT", "try again"), platform.ClassTransient, linkedin.CodeConflict},
		"activity":     {problem(400, "BAD_REQUEST", "Unable to obtain activity"), platform.ClassTransient, linkedin.CodeConflict},
		"rate limited": {problem(429, "TOO_MANY_REQUESTS", "slow"), platform.ClassRateLimited, post.ErrorRateLimited},
		"429 as a page": {
			platformtest.Response{Status: 429, Body: "<html>"}, platform.ClassRateLimited, post.ErrorRateLimited,
		},
		"dead version": {
			problem(426, "NONEXISTENT_VERSION", "Requested version 20250101 is not active"), platform.ClassOperator,
			linkedin.CodeVersion,
		},
		"no version": {
			problem(400, "VERSION_MISSING", "A version must be present"), platform.ClassOperator, linkedin.CodeVersion,
		},
		"too long": {input(400, "FIELD_LENGTH_TOO_LONG", "long"), platform.ClassRejected, linkedin.CodeTooLong},
		"too long in words": {
			input(400, "FIELD_ARRAY_SIZE_TOO_HIGH",
				"ShareCommentary text length (3001 characters) exceeded the maximum allowed (3000 characters)"),
			platform.ClassRejected, linkedin.CodeTooLong,
		},
		"invalid": {
			problem(400, "INVALID_VALUE_FOR_FIELD", "bad"), platform.ClassRejected, linkedin.CodeRefused,
		},
		"unprocessable": {problem(422, "UNPROCESSABLE_ENTITY", "no"), platform.ClassRejected, linkedin.CodeRefused},
		"details of no form": {
			platformtest.Response{Status: 400, Body: `{"status":400,"errorDetails":"none"}`},
			platform.ClassRejected,
			linkedin.CodeRefused,
		},
		"400 as a page": {
			platformtest.Response{Status: 400, Body: "<html>"}, platform.ClassUnknown, post.ErrorOutcomeUnknown,
		},
		"400 of another service": {
			platformtest.Response{Status: 400, Body: `{"error":"bad gateway request"}`},
			platform.ClassUnknown,
			post.ErrorOutcomeUnknown,
		},
		"403 as a page": {
			platformtest.Response{Status: 403, Body: "<html>"}, platform.ClassUnknown, post.ErrorOutcomeUnknown,
		},
		"408": {problem(408, "REQUEST_TIMEOUT", "slow"), platform.ClassUnknown, post.ErrorOutcomeUnknown},
		"500": {
			problem(500, "INTERNAL_SERVER_ERROR", "Unable to obtain activity"), platform.ClassUnknown,
			post.ErrorOutcomeUnknown,
		},
		"503": {problem(503, "SERVICE_UNAVAILABLE", "x"), platform.ClassUnknown, post.ErrorOutcomeUnknown},
		"504": {platformtest.Response{Status: 504}, platform.ClassUnknown, post.ErrorOutcomeUnknown},
		"302": {platformtest.Response{Status: 302}, platform.ClassUnknown, post.ErrorOutcomeUnknown},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			responses := publishResponse(test.response)
			refused := problem(403, "ACCESS_DENIED", "Not enough permissions to access: userinfo.GET.NO_VERSION")
			responses["GET /v2/userinfo"] = []platformtest.Response{refused}
			responses["GET /rest/organizationAcls"] = []platformtest.Response{refused}
			b := setup(t, responses)
			for connector, account := range map[*linkedin.Connector]platform.Account{b.profile: b.member, b.page: b.firm} {
				_, err := connector.Commit(t.Context(), account, b.content, "")
				failure := platformtest.Failure(t, err)
				class, code := test.class, test.code
				if connector == b.page && code == linkedin.CodeConflict { // the list of the page decides
					class, code = platform.ClassUnknown, post.ErrorOutcomeUnknown
				}
				require.Equal(t, class, failure.Class, "%v", err)
				require.Equal(t, code, failure.Code)
				require.NotEmpty(t, failure.Message)
				require.NotContains(t, err.Error(), "access-1")
			}
		})
	}
}

func TestExpiredTokenWithoutRefreshToken(t *testing.T) {
	t.Parallel()

	b := setup(t, publishResponse(problem(401, "EXPIRED_ACCESS_TOKEN", "expired")))
	b.member.Credentials.RefreshToken = ""
	_, err := b.profile.Commit(t.Context(), b.member, b.content, "")
	require.Equal(t, platform.ClassReconnect, platformtest.Failure(t, err).Class)
}

// TestDuplicate checks that a duplicate is not taken as a success. The named post may be another post of this service:
// a page's list decides, or a profile's owner.
func TestDuplicate(t *testing.T) {
	t.Parallel()

	const link = "(https://www.linkedin.com/feed/update/" + urn + "/)"
	b := setup(t, map[string][]platformtest.Response{
		publishCall: {
			duplicate(), problem(422, "", "Content is a duplicate of "+urn),
			problem(422, "DUPLICATE_POST", "Duplicate post is detected"),
		},
	})
	_, err := b.page.Commit(t.Context(), b.firm, b.content, "")
	failure := platformtest.Failure(t, err)
	require.Equal(t, platform.ClassUnknown, failure.Class)
	require.Equal(t, platform.CodeDuplicate, failure.Code)
	require.Contains(t, failure.Message, link)

	_, err = b.profile.Commit(t.Context(), b.member, b.content, "")
	failure = platformtest.Failure(t, err)
	require.Equal(t, platform.ClassRejected, failure.Class)
	require.Equal(t, platform.CodeDuplicate, failure.Code)
	require.Contains(t, failure.Message, link)

	_, err = b.profile.Commit(t.Context(), b.member, b.content, "")
	failure = platformtest.Failure(t, err)
	require.Equal(t, platform.CodeDuplicate, failure.Code)
	require.NotContains(t, failure.Message, "(")
}

func TestRateLimitHints(t *testing.T) {
	t.Parallel()

	midnight := time.Date(2026, 11, 22, 0, 0, 0, 0, time.UTC)
	for name, test := range map[string]struct {
		message string
		header  map[string]string
		want    time.Time
	}{
		"nothing said": {
			"Resource level throttle limit for calls to this resource is reached.", nil, now().Add(5 * time.Minute),
		},
		"a limit of the day": {
			"Resource level throttle APPLICATION_AND_MEMBER DAY limit for calls to this resource is reached.", nil, midnight,
		},
		"in other words":      {"The daily limit is reached", map[string]string{"Retry-After": "60"}, midnight},
		"Retry-After":         {"slow down", map[string]string{"Retry-After": "90"}, now().Add(90 * time.Second)},
		"Retry-After of text": {"slow down", map[string]string{"Retry-After": "soon"}, now().Add(5 * time.Minute)},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			response := problem(429, "TOO_MANY_REQUESTS", test.message)
			response.Header = test.header
			b := setup(t, publishResponse(response))
			_, err := b.profile.Commit(t.Context(), b.member, b.content, "")
			require.Equal(t, test.want, platformtest.Failure(t, err).Until)
		})
	}
}

package telegram_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/analytics"
	"fencepost.internal/shared/platform"
	"fencepost.internal/shared/platform/platformtest"
)

const countCall = "POST /bot" + token + "/getChatMemberCount"

func counting(t *testing.T, responses ...platformtest.Response) *bundle {
	t.Helper()
	b := setup(t)
	b.connect(t, platformtest.NewScript(t, map[string][]platformtest.Response{countCall: responses}))
	return b
}

func (b *bundle) members(t *testing.T) ([]string, error) {
	t.Helper()
	today := analytics.DateOf(now())
	days, err := b.connector.AccountInsights(t.Context(), b.account, today.Add(-90), today)
	return platformtest.Days(days), err
}

func TestMembers(t *testing.T) {
	t.Parallel()
	b := counting(t, platformtest.Response{Body: `{"ok":true,"result":1723}`})
	days, err := b.members(t)
	require.NoError(t, err)
	require.Equal(t, []string{"2026-03-01 Followers=1723"}, days)
	require.JSONEq(t, `{"chat_id":-1001234}`, b.script.Requests()[0].Body)

	past, err := b.connector.AccountInsights(t.Context(), b.account, platformtest.Date(t, "2026-01-01"),
		platformtest.Date(t, "2026-02-28"))
	require.NoError(t, err)
	require.Empty(t, past)
	require.Len(t, b.script.Requests(), 1, "only the present is known")
}

// TestMembersOfMigratedGroup checks that the count is requested again with the new id.
func TestMembersOfMigratedGroup(t *testing.T) {
	t.Parallel()
	b := counting(t, platformtest.Response{
		Status: http.StatusBadRequest,
		Body:   `{"ok":false,"error_code":400,"description":"upgraded","parameters":{"migrate_to_chat_id":-100777}}`,
	}, platformtest.Response{Body: `{"ok":true,"result":"8"}`})
	days, err := b.members(t)
	require.NoError(t, err)
	require.Equal(t, []string{"2026-03-01 Followers=8"}, days)
	require.JSONEq(t, `{"chat_id":-100777}`, b.script.Requests()[1].Body)
}

func TestMessagesHaveNoFigures(t *testing.T) {
	t.Parallel()
	b := counting(t)
	found, err := b.connector.PostInsights(t.Context(), b.account, []string{"1", "2"})
	require.NoError(t, err)
	require.Equal(t, map[string]analytics.PostFigures{}, found)
	require.Empty(t, b.script.Requests())
}

func TestMissingMemberCount(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		response platformtest.Response
		class    platform.Class
	}{
		"revoked": {
			platformtest.Response{Status: 401, Body: `{"ok":false,"error_code":401,"description":"Unauthorized"}`},
			platform.ClassReconnect,
		},
		"rate limit": {
			platformtest.Response{Status: 429, Body: `{"ok":false,"error_code":429,"parameters":{"retry_after":7}}`},
			platform.ClassRateLimited,
		},
		"kicked": {
			platformtest.Response{Status: 403, Body: `{"ok":false,"error_code":403,"description":"Forbidden: bot was kicked"}`},
			platform.ClassReconnect,
		},
		"chat gone": {
			platformtest.Response{Status: 400, Body: `{"ok":false,"error_code":400,"description":"Bad Request: chat not found"}`},
			platform.ClassReconnect,
		},
		"refused": {
			platformtest.Response{Status: 400, Body: `{"ok":false,"error_code":400,"description":"Bad Request"}`},
			platform.ClassRejected,
		},
		"down":        {platformtest.Response{Status: 502, Body: `<html>`}, platform.ClassTransient},
		"no count":    {platformtest.Response{Body: `{"ok":true,"result":{"count":7}}`}, platform.ClassTransient},
		"not ok":      {platformtest.Response{Body: `{"ok":false}`}, platform.ClassTransient},
		"other types": {platformtest.Response{Body: `{"ok":"yes","result":7}`}, platform.ClassTransient},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := counting(t, test.response)
			_, err := b.members(t)
			failure := platformtest.Failure(t, err)
			require.Equal(t, test.class, failure.Class, "%v", err)
			require.NotContains(t, failure.Message, "publish")
			require.NotContains(t, err.Error(), token)
			if test.class == platform.ClassRateLimited {
				require.Equal(t, now().Add(7*time.Second), failure.Until)
			}
		})
	}
	b := counting(t)
	b.account.Credentials.AccessToken = "no token"
	_, err := b.members(t)
	require.Equal(t, platform.ClassReconnect, platformtest.Failure(t, err).Class)
}

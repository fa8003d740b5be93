package x_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/platform"
	"fencepost.internal/shared/platform/platformtest"
)

func TestFacts(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		user string
		want *bool
	}{
		"no subscription": {`"subscription_type":"None","verified_type":"none"`, new(false)},
		"basic":           {`"subscription_type":"Basic","verified_type":"none"`, new(true)},
		"premium":         {`"subscription_type":"PremiumPlus","verified_type":"blue"`, new(true)},
		"organization":    {`"verified_type":"business"`, new(true)},
		"government":      {`"subscription_type":"None","verified_type":"government"`, new(false)},
		"unknown":         {`"name":"Acme"`, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := setup(t, map[string][]platformtest.Response{meCall: {{Body: `{"data":{"id":"42","username":"acme",` + test.user + `}}`}}})
			facts, err := b.connector.Facts(t.Context(), b.account)
			require.NoError(t, err)
			require.Equal(t, channel.Facts{Premium: test.want}, facts)
			require.Equal(t, "verified_type,subscription_type", b.script.Requests()[0].Query.Get("user.fields"))
			accounts, err := b.connector.Accounts(t.Context(), b.account.Credentials)
			require.NoError(t, err)
			require.Equal(t, channel.Facts{Premium: test.want}, accounts[0].Facts)
		})
	}
}

func TestFactsAreRefused(t *testing.T) {
	t.Parallel()
	b := setup(t, map[string][]platformtest.Response{meCall: {{Status: http.StatusUnauthorized, Body: `{"title":"Unauthorized"}`}}})
	_, err := b.connector.Facts(t.Context(), b.account)
	require.Equal(t, platform.ClassRefresh, platform.FailureOf(err).Class)
	b.account.Credentials.AccessToken = ""
	_, err = b.connector.Facts(t.Context(), b.account)
	require.Equal(t, platform.ClassReconnect, platform.FailureOf(err).Class)
}

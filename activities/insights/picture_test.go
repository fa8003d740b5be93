package insights_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/platform"
)

// TestCollectionTakesTheDuePicture checks that a fresh picture is not read, and that a failure leaves the former one and
// the figures.
func TestCollectionTakesTheDuePicture(t *testing.T) {
	t.Parallel()
	requests := 0
	n := &network{picture: func(platform.Account) (string, error) {
		if requests++; requests == 1 {
			return "", &platform.Failure{Class: platform.ClassTransient, Code: "PLATFORM_UNAVAILABLE", Message: "Busy."}
		}
		return "https://network.example/face.jpg", nil
	}}
	b := setup(t, n)
	b.collect(t)
	require.Empty(t, b.pictures.taken)
	require.NotEmpty(t, n.requested, "the figures are read all the same")
	b.collect(t)
	b.collect(t)
	require.Equal(t, []string{"https://network.example/face.jpg"}, b.pictures.taken)
	require.Equal(t, 2, requests, "a fresh picture is not read again")
}

// TestPictureOfAnExpiredToken checks that the token is refreshed, as at every call.
func TestPictureOfAnExpiredToken(t *testing.T) {
	t.Parallel()
	n := &network{picture: func(a platform.Account) (string, error) {
		if a.Credentials.AccessToken != "fresh" {
			return "", &platform.Failure{Class: platform.ClassRefresh, Code: "TOKEN_EXPIRED", Message: "The token has ended."}
		}
		return "https://network.example/new.jpg", nil
	}}
	b := setup(t, n)
	b.collect(t)
	require.Equal(t, []string{"https://network.example/new.jpg"}, b.pictures.taken)
	found, err := b.channels.Get(t.Context(), b.ch.WorkspaceID, b.ch.ID)
	require.NoError(t, err)
	require.Equal(t, channel.TokenHealthy, found.TokenStatus)
}

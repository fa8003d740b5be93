package authn_test

import (
	"bytes"
	"image/png"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/services/internal/authn"
)

// rfcSecret is the key of RFC 6238, appendix B, in base32.
const rfcSecret = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ"

func TestRFCCodes(t *testing.T) {
	t.Parallel()
	for at, want := range map[int64]string{59: "287082", 1111111109: "081804", 2000000000: "279037"} {
		code, err := authn.CodeAt(rfcSecret, time.Unix(at, 0))
		require.NoError(t, err)
		require.Equal(t, want, code)
		step, ok := authn.CodeStep(rfcSecret, want[:3]+" "+want[3:], time.Unix(at, 0))
		require.True(t, ok)
		require.Equal(t, at/30, step)
	}
}

func TestAcceptsOneStepOfClockSkew(t *testing.T) {
	t.Parallel()
	now := time.Unix(1111111109, 0)
	for offset := int64(-3); offset <= 3; offset++ {
		code, err := authn.CodeAt(rfcSecret, now.Add(time.Duration(offset)*30*time.Second))
		require.NoError(t, err)
		step, ok := authn.CodeStep(rfcSecret, code, now)
		require.Equal(t, offset >= -1 && offset <= 1, ok, "%d steps", offset)
		if ok {
			require.Equal(t, now.Unix()/30+offset, step)
		}
	}
	for _, wrong := range []string{"", "0", "28708", "2870820", "abcdef"} {
		_, ok := authn.CodeStep(rfcSecret, wrong, now)
		require.False(t, ok, wrong)
	}
	_, ok := authn.CodeStep("not base32!", "000000", now)
	require.False(t, ok)
}

func TestNewSecrets(t *testing.T) {
	t.Parallel()
	first, err := authn.NewSecret("Fencepost", "ada+x@example.com")
	require.NoError(t, err)
	second, err := authn.NewSecret("Fencepost", "ada+x@example.com")
	require.NoError(t, err)
	require.NotEqual(t, first, second)
	require.Len(t, first, 32)
	raw, err := authn.SecretQR("Fencepost", "ada+x@example.com", first)
	require.NoError(t, err)
	image, err := png.Decode(bytes.NewReader(raw))
	require.NoError(t, err)
	require.Equal(t, 220, image.Bounds().Dx())
}

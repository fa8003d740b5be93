package operator_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"fencepost.internal/services/admin/internal/operator"
	"fencepost.internal/shared/kernel/apperr"
)

// FuzzParseSlots checks that an accepted list is parsed to the same slots after formatting.
func FuzzParseSlots(f *testing.F) {
	f.Add("MONDAY 09:00, tuesday 17:30")
	f.Add("")
	f.Add(" , ,SUNDAY\t00:00,")
	f.Add("MONDAY 9:00, MONDAY, ıſ 09:00")
	f.Fuzz(func(t *testing.T, list string) {
		slots, err := operator.ParseSlots(list)
		if err != nil {
			require.Equal(t, apperr.ValidationFailed, apperr.CodeOf(err))
			return
		}
		written := make([]string, len(slots))
		for i, s := range slots {
			written[i] = s.String()
		}
		again, err := operator.ParseSlots(strings.Join(written, ", "))
		require.NoError(t, err)
		require.Equal(t, slots, again)
	})
}

package settings_test

import (
	"encoding/csv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"fencepost.internal/services/console/internal/settings"
)

func TestCSVCellsEscapeFormulas(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"Ada <ada@example.com>": "Ada <ada@example.com>", `say "x"`: `say "x"`, "=1+1": "'=1+1", "＝1+1": "'＝1+1", " =1": " '=1",
		"x;=1+1": "x;'=1+1", "x,@SUM(1)": "x,'@SUM(1)", "x\n-1": "x\n'-1", "EDITOR to ADMIN": "EDITOR to ADMIN",
	} {
		var out strings.Builder
		settings.WriteRow(&out, text, "b")
		require.True(t, strings.HasPrefix(out.String(), `"`), "a program with another separator keeps the cell whole")
		rows, err := csv.NewReader(strings.NewReader(out.String())).ReadAll()
		require.NoError(t, err)
		require.Equal(t, [][]string{{want, "b"}}, rows)
	}
}

package ident_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/kernel/ident"
)

// FuzzParse checks that an ID has one text form, except for the case of its letters.
func FuzzParse(f *testing.F) {
	f.Add(ident.New[ident.Post]().String())
	f.Add("urn:uuid:0190a3c4-7d21-7c3e-9a51-3f0c2b7e4d10")
	f.Add("{0190A3C4-7D21-7C3E-9A51-3F0C2B7E4D10}")
	f.Fuzz(func(t *testing.T, text string) {
		id, err := ident.Parse[ident.Post](text)
		if err != nil {
			require.ErrorIs(t, err, ident.ErrInvalid)
			require.True(t, id.IsZero())
			return
		}
		require.Equal(t, strings.ToLower(text), id.String())
	})
}

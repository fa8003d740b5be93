package ident_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/kernel/ident"
)

func TestNewAscends(t *testing.T) {
	t.Parallel()
	before := ident.New[ident.Post]().String()
	for range 1000 {
		next := ident.New[ident.Post]().String()
		require.Greater(t, next, before)
		require.Equal(t, byte('7'), next[14])
		before = next
	}
}

func TestParse(t *testing.T) {
	t.Parallel()
	id := ident.New[ident.Post]()
	for _, text := range []string{id.String(), strings.ToUpper(id.String())} {
		got, err := ident.Parse[ident.Post](text)
		require.NoError(t, err)
		require.Equal(t, id, got)
	}
	for _, text := range []string{
		"", "x", "{" + id.String() + "}", "urn:uuid:" + id.String(), strings.ReplaceAll(id.String(), "-", ""),
		id.String()[:35] + "g",
	} {
		_, err := ident.Parse[ident.Post](text)
		require.ErrorIs(t, err, ident.ErrInvalid, text)
	}
}

func TestJSON(t *testing.T) {
	t.Parallel()
	id := ident.New[ident.Channel]()
	raw, err := json.Marshal(map[string]ident.Channel{"id": id})
	require.NoError(t, err)
	require.JSONEq(t, `{"id":"`+id.String()+`"}`, string(raw))
	var back map[string]ident.Channel
	require.NoError(t, json.Unmarshal(raw, &back))
	require.Equal(t, id, back["id"])
	require.Error(t, json.Unmarshal([]byte(`{"id":"nope"}`), &back))
}

func TestDatabase(t *testing.T) {
	t.Parallel()
	id := ident.New[ident.Event]()
	v, err := id.Value()
	require.NoError(t, err)
	require.Equal(t, id.String(), v)
	v, err = ident.Event{}.Value()
	require.NoError(t, err)
	require.Nil(t, v)
	var back ident.Event
	require.NoError(t, back.Scan(id.String()))
	require.Equal(t, id, back)
	require.NoError(t, back.Scan(nil))
	require.True(t, back.IsZero())
	require.Error(t, back.Scan("nope"))
}

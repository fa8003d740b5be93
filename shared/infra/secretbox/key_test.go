package secretbox_test

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/infra/secretbox"
)

func encoded(size int) string {
	return base64.StdEncoding.EncodeToString(bytes.Repeat([]byte{0xA5}, size))
}

func TestParseKeys(t *testing.T) {
	t.Parallel()

	keys, err := secretbox.ParseKeys("2026-a:" + encoded(32) + ", 2025.b_c:" + encoded(32))
	require.NoError(t, err)
	require.Len(t, keys, 2)
	require.Equal(t, "2026-a", keys[0].ID)
	require.Equal(t, "2025.b_c", keys[1].ID)

	_, err = secretbox.NewKeyring(keys)
	require.NoError(t, err)
}

func TestParseKeysRefuses(t *testing.T) {
	t.Parallel()

	tests := map[string]struct{ text, want string }{
		"nothing":           {"", "no colon"},
		"no id":             {encoded(32), "no colon"},
		"empty id":          {":" + encoded(32), "key id"},
		"long id":           {strings.Repeat("a", 33) + ":" + encoded(32), "key id"},
		"halves swapped":    {encoded(32) + ":a", "key id"},
		"id with a slash":   {"a/b:" + encoded(32), "key id"},
		"id with a newline": {"a\n:" + encoded(32), "key id"},
		"not base64":        {"a:***", "base64"},
		"url base64":        {"a:" + base64.URLEncoding.EncodeToString(bytes.Repeat([]byte{0xFF}, 32)), "base64"},
		"31 bytes":          {"a:" + encoded(31), "31 bytes"},
		"33 bytes":          {"a:" + encoded(33), "33 bytes"},
		"no bytes":          {"a:", "0 bytes"},
		"zeros":             {"a:" + base64.StdEncoding.EncodeToString(make([]byte, 32)), "zeros"},
		"id twice":          {"a:" + encoded(32) + ",a:" + encoded(32), "entry 2: key id \"a\" occurs twice"},
		"trailing comma":    {"a:" + encoded(32) + ",", "entry 2"},
	}

	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			_, err := secretbox.ParseKeys(test.text)
			require.ErrorContains(t, err, test.want)
			require.NotContains(t, err.Error(), encoded(32))
		})
	}

	t.Run("all faults at once", func(t *testing.T) {
		t.Parallel()

		_, err := secretbox.ParseKeys("a:***,b:" + encoded(3) + ",c")
		require.ErrorContains(t, err, "entry 1")
		require.ErrorContains(t, err, "entry 2")
		require.ErrorContains(t, err, "entry 3")
	})
}

func TestNewKeyringRefuses(t *testing.T) {
	t.Parallel()

	_, err := secretbox.NewKeyring(nil)
	require.ErrorContains(t, err, "no key")

	_, err = secretbox.NewKeyring([]secretbox.Key{newKey(t, "a", 1), newKey(t, "a", 2)})
	require.ErrorContains(t, err, "twice")

	_, err = secretbox.NewKeyring([]secretbox.Key{{ID: "a"}})
	require.ErrorContains(t, err, "no material")
}

func TestKeyMaterialIsNeverPrinted(t *testing.T) {
	t.Parallel()

	material := []byte("0123456789abcdefghijklmnopqrstuv")
	key, err := secretbox.NewKey("k1", material)
	require.NoError(t, err)

	var log bytes.Buffer
	slog.New(slog.NewJSONHandler(&log, nil)).Info("key", "key", key, "keys", []secretbox.Key{key})

	marshalled, err := json.Marshal(map[string]any{"key": key})
	require.NoError(t, err)

	outputs := []string{log.String(), string(marshalled), key.String()}
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%d"} {
		outputs = append(outputs, fmt.Sprintf(verb, key), fmt.Sprintf(verb, []secretbox.Key{key}))
	}

	hidden := struct{ key secretbox.Key }{key}
	require.NotContains(t, fmt.Sprintf("%v %+v %#v", hidden, hidden, hidden), "48 49 50 51")

	for _, output := range outputs {
		require.Contains(t, output, "[redacted]")
		require.NotContains(t, output, string(material))
		require.NotContains(t, output, hex.EncodeToString(material))
		require.NotContains(t, output, base64.StdEncoding.EncodeToString(material))
	}

	material[0] = 'X'
	same, err := secretbox.NewKey("k1", []byte("0123456789abcdefghijklmnopqrstuv"))
	require.NoError(t, err)

	_, err = newRing(t, same).Open(seal(t, newRing(t, key), "value"), place())
	require.NoError(t, err, "the key is a copy of what it was made from")
}

package objectstore_test

import (
	"testing"
	"time"

	"socialpub.internal/shared/objectstore"
	"socialpub.internal/shared/objectstore/objectstoretest"
)

func TestZZGate(t *testing.T) {
	store := objectstoretest.Open(t)
	put(t, store, "k", "before")
	const large = 9 << 20
	_, err := store.Put(t.Context(), objectstore.PutRequest{Key: "k", Body: bytesOf(large - 1), Size: large, ContentType: png})
	for range 6 {
		info, err2 := store.Stat(t.Context(), "k")
		t.Log(err, info.Size, large, err2)
		<-time.After(300 * time.Millisecond)
	}
}

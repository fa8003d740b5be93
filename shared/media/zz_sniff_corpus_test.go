package media_test

import (
	"encoding/binary"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"socialpub.internal/shared/media"
)

func TestZZCorpus(t *testing.T) {
	ext := ".jpg .jpeg .png .gif .webp .heic .mp4 .mov .webm .pdf "
	n := 0
	for _, root := range []string{"/usr", "/root", "/opt", "/work/main", "/tmp"} {
		filepath.WalkDir(root, func(p string, d os.DirEntry, err error) error {
			if err != nil || !d.Type().IsRegular() || !strings.Contains(ext, strings.ToLower(filepath.Ext(p))+" ") || filepath.Ext(p) == "" {
				return nil
			}
			f, err := os.Open(p)
			if err != nil {
				return nil
			}
			defer f.Close()
			h := make([]byte, media.HeadSize)
			k, _ := io.ReadFull(f, h)
			n++
			if _, _, ok := media.Sniff(h[:k]); !ok {
				fmt.Printf("refused %s %.24q\n", p, h[:k])
			}
			return nil
		})
	}
	fmt.Println("files", n)
}

func TestZZNoise(t *testing.T) {
	end := time.Now().Add(150 * time.Second)
	head := heads()["MP4"]
	var seed [32]byte
	binary.LittleEndian.PutUint64(seed[:], uint64(time.Now().UnixNano()))
	noise := rand.NewChaCha8(seed)
	full := make([]byte, media.HeadSize)
	n, bad := 0, 0
	for time.Now().Before(end) {
		for range 1000 {
			noise.Read(full[copy(full, head):])
			n++
			if _, _, ok := media.Sniff(full); !ok {
				bad++
			}
		}
	}
	fmt.Println("noise", n, "refused", bad)
	random := rand.New(rand.NewChaCha8(seed))
	full = heads()["GIF"]
	end = time.Now().Add(90 * time.Second)
	n, bad = 0, 0
	for time.Now().Before(end) {
		for range 100 {
			middle := 40 + random.IntN(60)
			for i := range 3 * 256 {
				full[13+i] = byte(max(0, min(255, float64(middle)+random.NormFloat64()*20)))
			}
			n++
			if _, _, ok := media.Sniff(full); !ok {
				bad++
				fmt.Printf("%q\n", full[13:])
			}
		}
	}
	fmt.Println("colours", n, "refused", bad)
}

package tool

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"

	"socialpub.internal/shared/infra/mediabox/internal/fault"
)

// Still is what a HEIC file says of its main picture.
type Still struct {
	Width, Height int // upright
	index, count  int // the main picture's place among those of the file, from 1
}

// mostStills is how many pictures a file may hold; libheif decodes all of them.
const mostStills = 16

// ProbeHEIC asks libheif for the main picture of a file.
func (r Runner) ProbeHEIC(ctx context.Context) (Still, error) {
	printed, err := r.run(ctx, r.Paths.HEIFInfo, input)
	if err != nil {
		return Still{}, err
	}
	return readStill(printed)
}

func readStill(printed []byte) (Still, error) {
	picture := regexp.MustCompile(`^image: (\d+)x(\d+) \(id=\d+\)(, primary)?`)
	var still Still
	for lines := bufio.NewScanner(bytes.NewReader(printed)); lines.Scan(); {
		match := picture.FindStringSubmatch(lines.Text())
		if match == nil {
			continue
		}
		still.count++
		if match[3] != "" || still.count == 1 {
			still.index = still.count
			still.Width, _ = strconv.Atoi(match[1])
			still.Height, _ = strconv.Atoi(match[2])
		}
	}
	switch {
	case still.count == 0:
		return Still{}, fault.New(fault.Broken, "a HEIC file without a picture")
	case still.count > mostStills:
		return Still{}, fault.New(fault.TooLarge, "%d pictures in one file", still.count)
	}
	return still, nil
}

// Convert decodes the main picture of a HEIC file, upright, into a JPEG file, and returns it open. It stands in the folder,
// where it is made before: the program can write into it and make no other.
func (r Runner) Convert(ctx context.Context, still Still) (*os.File, error) {
	const quality = "92"
	target := filepath.Join(r.Folder, "picture.jpg")
	converted, err := r.reserve(still)
	if err != nil {
		return nil, err
	}
	if _, err := r.run(ctx, r.Paths.HEIFConvert, "--quiet", "-q", quality, input, target); err != nil {
		return nil, err
	}
	return os.Open(converted) //nolint:gosec // a name of our own
}

// reserve makes the file for the main picture; the others of the file, which libheif numbers, go to nowhere.
func (r Runner) reserve(still Still) (string, error) {
	main := filepath.Join(r.Folder, "picture.jpg")
	for i := 1; still.count > 1 && i <= still.count; i++ {
		name := filepath.Join(r.Folder, fmt.Sprintf("picture-%d.jpg", i))
		if i == still.index {
			main = name
			continue
		}
		if err := os.Symlink(os.DevNull, name); err != nil {
			return "", fmt.Errorf("set up the folder: %w", err)
		}
	}
	const private = 0o600
	if err := os.WriteFile(main, nil, private); err != nil {
		return "", fmt.Errorf("set up the folder: %w", err)
	}
	return main, nil
}

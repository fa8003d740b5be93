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

	"fencepost.internal/shared/infra/mediabox/internal/format"
)

// Still describes the primary picture of a HEIC file.
type Still struct {
	Width, Height int // upright
	index, count  int // position of the primary picture, from 1, and the number of pictures
}

// mostStills is the maximum number of pictures in a file; libheif decodes all of them.
const mostStills = 16

// ProbeHEIC uses libheif to read the primary picture of a file.
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
		return Still{}, format.Fail(format.Broken, "a HEIC file without an image")
	case still.count > mostStills:
		return Still{}, format.Fail(format.TooLarge, "%d images in one file", still.count)
	}
	return still, nil
}

// Convert decodes the primary picture of a HEIC file, upright, into a JPEG file and returns it open. The file is
// created in the folder beforehand, because the program can write it but cannot create files.
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
	return os.Open(converted) //nolint:gosec // a name chosen here
}

// reserve creates the output file for the primary picture. The other pictures, which libheif numbers, are written to
// /dev/null.
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

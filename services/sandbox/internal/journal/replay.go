package journal

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
)

// replay passes every record to config.Replay and leaves the file's offset behind the last one.
func replay(file *os.File, config Config) error {
	reader := bufio.NewReader(file)
	end := int64(0)
	for number := 1; ; number++ {
		line, err := reader.ReadBytes('\n')
		switch {
		case errors.Is(err, io.EOF):
			return finish(file, config, end, len(line))
		case err != nil:
			return fmt.Errorf("journal: %w", err)
		case !json.Valid(line):
			if _, err := reader.Peek(1); errors.Is(err, io.EOF) {
				return finish(file, config, end, len(line))
			}
			return fmt.Errorf("journal: %s: line %d is damaged", config.Path, number)
		}
		if err := config.Replay(bytes.TrimSuffix(line, []byte("\n"))); err != nil {
			return fmt.Errorf("journal: %s: line %d: %w", config.Path, number, err)
		}
		end += int64(len(line))
	}
}

// finish truncates the file behind the last complete record.
func finish(file *os.File, config Config, end int64, torn int) error {
	if torn > 0 {
		config.Logger.Warn("truncated an incomplete last line", slog.String("file", config.Path), slog.Int("bytes", torn))
		if err := errors.Join(file.Truncate(end), file.Sync()); err != nil {
			return fmt.Errorf("journal: %w", err)
		}
	}
	if _, err := file.Seek(end, io.SeekStart); err != nil {
		return fmt.Errorf("journal: %w", err)
	}
	return nil
}

// syncFolder makes the file's directory entry durable.
func syncFolder(path string) error {
	folder, err := os.Open(path) //nolint:gosec // G304: the operator's own folder
	if err != nil {
		return fmt.Errorf("journal: %w", err)
	}
	if err := errors.Join(folder.Sync(), folder.Close()); err != nil {
		return fmt.Errorf("journal: %w", err)
	}
	return nil
}

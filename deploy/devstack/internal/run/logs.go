package run

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// largeLog is the size from which a log makes room for a new one.
const largeLog = 10 << 20

// rotateLogs renames large logs to *.log.old, over the older one. Logs are only appended to while the stack runs.
func rotateLogs(folder string) error {
	logs, err := filepath.Glob(filepath.Join(folder, "*.log"))
	if err != nil {
		return fmt.Errorf("look for logs: %w", err)
	}
	var errs []error
	for _, log := range logs {
		if info, err := os.Stat(log); err == nil && info.Size() >= largeLog {
			errs = append(errs, os.Rename(log, log+".old"))
		}
	}
	return errors.Join(errs...)
}

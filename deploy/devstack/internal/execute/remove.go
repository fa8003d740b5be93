package execute

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"fencepost.internal/devstack/internal/infra"
	"fencepost.internal/devstack/internal/postgres"
)

// removeData deletes everything in the folder except the logs.
func removeData(folder string) error {
	errs := []error{postgres.Remove(infra.PostgresFolder(folder))}
	entries, err := os.ReadDir(folder)
	if err != nil {
		return fmt.Errorf("remove the data: %w", err)
	}
	for _, entry := range entries {
		if entry.Name() != "logs" {
			errs = append(errs, os.RemoveAll(filepath.Join(folder, entry.Name())))
		}
	}
	return errors.Join(errs...)
}

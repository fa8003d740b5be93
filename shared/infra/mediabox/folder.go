package mediabox

import (
	"fmt"
	"os"
	"path/filepath"
)

// checkFolder reports folder problems that would otherwise appear as a child that cannot be started. When started by
// root, the child runs as another user, who must be able to enter the folder and every folder above it.
func checkFolder(folder string) error {
	path, err := filepath.Abs(folder)
	if err != nil {
		return fmt.Errorf("mediabox: folder for files: %w", err)
	}
	info, err := os.Stat(path)
	if err != nil {
		return fmt.Errorf("mediabox: folder for files: %w", err)
	}
	if !info.IsDir() {
		return fmt.Errorf("mediabox: %s is not a folder", folder)
	}
	if os.Geteuid() != 0 {
		return nil
	}
	const others = 0o001
	for at := path; ; at = filepath.Dir(at) {
		info, err := os.Stat(at)
		if err != nil {
			return fmt.Errorf("mediabox: folder for files: %w", err)
		}
		if info.Mode()&others == 0 {
			return fmt.Errorf(
				"mediabox: %s cannot be used: the child that opens files runs as another user without access to %s; run chmod "+
					"o+x %s, or choose another folder",
				folder, at, at)
		}
		if at == filepath.Dir(at) {
			return nil
		}
	}
}

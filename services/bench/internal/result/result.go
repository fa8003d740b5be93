// Package result defines the measured rows, their ceilings and their goals.
package result

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
)

// Row is one measured value. Ceiling is the value of the same machine without the service's own work, or of a program with
// the same purpose, in the same unit. It is nil for rows without a comparison.
type Row struct {
	Name    string   `json:"name"`
	Value   float64  `json:"value"`
	Unit    string   `json:"unit"`
	Ceiling *float64 `json:"ceiling"`
	Ratio   *float64 `json:"ratio"`
}

// Against returns a row with its ceiling.
func Against(name string, value float64, unit string, ceiling float64) Row {
	ratio := value / ceiling
	return Row{Name: name, Value: value, Unit: unit, Ceiling: &ceiling, Ratio: &ratio}
}

// Plain returns a row without a ceiling.
func Plain(name string, value float64, unit string) Row {
	return Row{Name: name, Value: value, Unit: unit}
}

const (
	folderMode = 0o755
	fileMode   = 0o644
)

// Write stores the rows as JSON.
func Write(path string, rows []Row) error {
	raw, err := json.MarshalIndent(rows, "", "  ")
	if err != nil {
		return fmt.Errorf("encode results: %w", err)
	}
	if err := os.MkdirAll(filepath.Dir(path), folderMode); err != nil {
		return err
	}
	return os.WriteFile(path, append(raw, '\n'), fileMode)
}

// Read reads the rows that Write stored.
func Read(path string) ([]Row, error) {
	raw, err := os.ReadFile(path) //nolint:gosec // G304: the operator's own file
	if err != nil {
		return nil, err
	}
	var rows []Row
	if err := json.Unmarshal(raw, &rows); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return rows, nil
}

package config

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"reflect"
	"strings"

	"github.com/caarlos0/env/v11"
)

// Problem is one error in one variable.
type Problem struct {
	Variable string
	Message  string // the problem; never contains the value of a secret
	Example  string // a valid value
}

// Error contains all problems of an environment.
type Error struct {
	Problems []Problem
}

// Error returns the problems, one per line.
func (e *Error) Error() string {
	text := "configuration:"
	for _, problem := range e.Problems {
		text += "\n  " + problem.Variable + " " + problem.Message
		if problem.Example != "" {
			text += " (example: " + problem.Example + ")"
		}
	}
	return text
}

// OS returns the environment of this process, for Load.
func OS() map[string]string { return env.ToMap(os.Environ()) }

// Load reads a program's configuration from an environment. It returns *Error with every problem of the environment, or
// another error if the type is declared incorrectly.
func Load[T any](environ map[string]string) (T, error) {
	var program, none T
	values, failed := reflect.ValueOf(&program).Elem(), &Error{}
	for _, f := range fieldsOf(reflect.TypeFor[T](), nil, "") {
		problem, err := f.load(environ, values.FieldByIndex(f.index))
		if err != nil {
			return none, fmt.Errorf("configuration: %s: %w", f.Name, err)
		}
		if problem != "" {
			failed.Problems = append(failed.Problems, Problem{Variable: f.Name, Message: problem, Example: f.Example})
		}
	}
	if len(failed.Problems) > 0 {
		return none, failed
	}
	return program, nil
}

// text returns the text of a variable: its value, that of the file that contains the secret, or the default. The problem
// never contains the content of a file.
func (f field) text(environ map[string]string) (text, problem string) {
	const fileSuffix = "_FILE" // as container platforms provide secrets
	text, path := strings.TrimSpace(environ[f.Name]), strings.TrimSpace(environ[f.Name+fileSuffix])
	if f.Secret && path != "" {
		if text != "" {
			return "", "is set, and " + f.Name + fileSuffix + " too; set one of them"
		}
		content, err := readSecret(path)
		if err != nil {
			return "", "cannot be read from " + f.Name + fileSuffix + ": " + err.Error()
		}
		return content, ""
	}
	text = cmp.Or(text, f.Default)
	if f.kind.Kind() == reflect.Slice {
		text = strings.Join(strings.Fields(text), "") // remove spaces after commas
	}
	return text, ""
}

// maxSecretFile is the maximum size of a file with a secret in bytes.
const maxSecretFile = 64 << 10

func readSecret(path string) (string, error) {
	file, err := os.Open(path) //nolint:gosec // G304: the operator names it
	if err != nil {
		return "", err
	}
	defer func() { _ = file.Close() }()
	content, err := io.ReadAll(io.LimitReader(file, maxSecretFile+1))
	switch {
	case err != nil:
		return "", err
	case len(content) > maxSecretFile:
		return "", fmt.Errorf("%s has more than %d bytes", path, maxSecretFile)
	case strings.TrimSpace(string(content)) == "":
		return "", fmt.Errorf("%s is empty", path)
	}
	return strings.TrimSpace(string(content)), nil
}

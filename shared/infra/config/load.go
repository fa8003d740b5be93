package config

import (
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net/netip"
	"os"
	"reflect"
	"strings"
	"time"

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
	var text strings.Builder

	text.WriteString("configuration:")
	for _, problem := range e.Problems {
		fmt.Fprintf(&text, "\n  %s %s", problem.Variable, problem.Message)
		if problem.Example != "" {
			fmt.Fprintf(&text, " (example: %s)", problem.Example)
		}
	}

	return text.String()
}

// OS returns the environment of this process, for Load.
func OS() map[string]string { return env.ToMap(os.Environ()) }

// Load reads a program's configuration from an environment. It returns *Error with every problem of the environment, or
// another error if the type is declared incorrectly.
func Load[T any](environ map[string]string) (T, error) {
	var program, none T

	fields := fieldsOf[T]()
	environ, unread := withFiles(fields, environ)
	environment := effective(fields, environ)

	found, err := parse(&program, fields, environment)
	if err != nil {
		return none, err
	}
	maps.Copy(found, unread)

	values := reflect.ValueOf(program)
	for _, f := range fields {
		if found[f.name] == "" && environment[f.name] != "" && f.format != "" {
			check, ok := formats[f.format]
			if !ok {
				return none, fmt.Errorf("configuration: %s declares the unknown format %q", f.name, f.format)
			}

			found[f.name] = check(values.FieldByIndex(f.index).Interface())
		}
	}

	var problems []Problem
	for _, f := range fields {
		if message := found[f.name]; message != "" {
			problems = append(problems, Problem{Variable: f.name, Message: message, Example: f.example})
		}
	}

	if len(problems) > 0 {
		return none, &Error{Problems: problems}
	}

	return program, nil
}

// fileSuffix marks the variable with the name of a file that contains a secret, as container platforms provide them.
const fileSuffix = "_FILE"

// maxSecretFile is the maximum size of such a file in bytes.
const maxSecretFile = 64 << 10

// withFiles returns the environment with the secrets from files, and the problems by variable. A message never contains
// the content of a file.
func withFiles(fields []field, environ map[string]string) (environment, problems map[string]string) {
	environment, problems = maps.Clone(environ), map[string]string{}
	for _, f := range fields {
		path := strings.TrimSpace(environ[f.name+fileSuffix])
		if !f.isSecret || path == "" {
			continue
		}
		if strings.TrimSpace(environ[f.name]) != "" {
			problems[f.name] = "is set, and " + f.name + fileSuffix + " too; set one of them"
			continue
		}
		content, err := readSecret(path)
		if err != nil {
			problems[f.name] = "cannot be read from " + f.name + fileSuffix + ": " + err.Error()
			continue
		}
		environment[f.name] = content
	}

	return environment, problems
}

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

// effective returns the environment with defaults applied and without empty values.
func effective(fields []field, environ map[string]string) map[string]string {
	environment := make(map[string]string, len(fields))

	for _, f := range fields {
		value := strings.TrimSpace(environ[f.name])
		if value == "" {
			value = f.fallback
		}

		if f.kind.Kind() == reflect.Slice {
			value = strings.Join(strings.Fields(value), "") // remove spaces after commas
		}

		if value != "" {
			environment[f.name] = value
		}
	}

	return environment
}

// parse fills the program and returns the problems by variable.
func parse(program any, fields []field, environment map[string]string) (map[string]string, error) {
	found := map[string]string{}

	err := env.ParseWithOptions(program, env.Options{Environment: environment})
	if err == nil {
		return found, nil
	}

	aggregate := env.AggregateError{}
	if !errors.As(err, &aggregate) {
		return nil, fmt.Errorf("configuration: %w", err)
	}

	byGoName, required := make(map[string]field, len(fields)), make(map[string]bool, len(fields))
	for _, f := range fields {
		required[f.name] = f.required
		if f.kind.Kind() != reflect.String && f.kind != reflect.TypeFor[Secret]() { // a text is never malformed
			byGoName[f.goName] = f
		}
	}

	for _, fault := range aggregate.Errors {
		missing, malformed := env.VarIsNotSetError{}, env.ParseError{}

		switch {
		case errors.As(fault, &missing):
			if required[missing.Key] {
				found[missing.Key] = "is required and not set"
			}
		case errors.As(fault, &malformed) && byGoName[malformed.Name].name != "":
			f := byGoName[malformed.Name]
			found[f.name] = parseMessage(f, environment[f.name], malformed.Err)
		default:
			return nil, fmt.Errorf("configuration: %w", fault)
		}
	}

	return found, nil
}

// parseMessage describes an invalid value for an operator. It includes the cause only for types whose errors never
// quote a secret.
func parseMessage(f field, value string, cause error) string {
	switch f.kind {
	case reflect.TypeFor[EncryptionKeys]():
		return "is malformed: " + strings.ReplaceAll(cause.Error(), "\n", "; ")
	case reflect.TypeFor[int](), reflect.TypeFor[int64]():
		return quote(value) + " is not a whole number"
	case reflect.TypeFor[float64]():
		return quote(value) + " is not a number"
	case reflect.TypeFor[time.Duration]():
		return quote(value) + " is not a duration with a unit"
	case reflect.TypeFor[Wait]():
		return quote(value) + ` is neither a duration of zero or more, such as 1s, nor "off"`
	case reflect.TypeFor[slog.Level]():
		return quote(value) + " is not debug, info, warn or error"
	case reflect.TypeFor[[]netip.Prefix]():
		return quote(value) + " is not a list of networks in CIDR form"
	}

	if f.isSecret {
		return "is malformed"
	}

	return quote(value) + " is malformed"
}

func quote(value string) string { return fmt.Sprintf("%.80q", value) }

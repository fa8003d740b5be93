package config

import (
	"fmt"
	"reflect"
	"strings"
)

// Variable describes one environment variable of a program.
type Variable struct {
	Name        string
	Default     string // empty if there is none
	Required    bool   // the program does not start without it
	Secret      bool   // the value must never be shown
	Description string
	Example     string
}

// Describe returns the variables of a program in the order of their declaration.
func Describe[T any]() []Variable {
	fields := fieldsOf[T]()
	variables := make([]Variable, 0, len(fields))

	for _, f := range fields {
		variables = append(variables, Variable{
			Name:        f.name,
			Default:     f.fallback,
			Required:    f.required,
			Secret:      f.isSecret,
			Description: f.description,
			Example:     f.example,
		})
	}

	return variables
}

// Setting is the value of a variable of a running program; secrets are redacted.
type Setting struct {
	Name  string
	Value string
}

// Settings returns the settings of a loaded program, for its print-config command.
func Settings[T any](program T) []Setting {
	values := reflect.ValueOf(program)
	fields := fieldsOf[T]()
	settings := make([]Setting, 0, len(fields))

	for _, f := range fields {
		settings = append(settings, Setting{Name: f.name, Value: show(values.FieldByIndex(f.index))})
	}

	return settings
}

func show(value reflect.Value) string {
	if secret, ok := value.Interface().(Secret); ok && !secret.IsSet() {
		return ""
	}

	if value.Kind() != reflect.Slice {
		return fmt.Sprint(value.Interface())
	}

	elements := make([]string, 0, value.Len())
	for i := range value.Len() {
		elements = append(elements, fmt.Sprint(value.Index(i).Interface()))
	}

	return strings.Join(elements, ",")
}

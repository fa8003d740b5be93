package config

import (
	"fmt"
	"reflect"
	"strings"
)

// Describe returns the variables of a program in the order of their declaration.
func Describe[T any]() []Variable {
	var variables []Variable
	for _, f := range fieldsOf[T]() {
		variables = append(variables, f.Variable)
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
	var settings []Setting
	for _, f := range fieldsOf[T]() {
		settings = append(settings, Setting{Name: f.Name, Value: show(reflect.ValueOf(program).FieldByIndex(f.index))})
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
	var elements []string
	for i := range value.Len() {
		elements = append(elements, fmt.Sprint(value.Index(i).Interface()))
	}
	return strings.Join(elements, ",")
}

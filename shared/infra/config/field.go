package config

import (
	"reflect"
	"slices"
	"strings"
)

// field is one variable of a program's type.
type field struct {
	name        string // name of the variable
	goName      string // name of the struct field, used by package env in errors
	index       []int
	kind        reflect.Type
	fallback    string
	required    bool // required and without a default
	description string
	example     string
	format      string
	isSecret    bool
}

// defaulter is implemented by programs with their own defaults for shared variables.
type defaulter interface{ defaults() map[string]string }

func defaultsOf(program any) map[string]string {
	if own, ok := program.(defaulter); ok {
		return own.defaults()
	}

	return nil
}

// chooser is implemented by programs that do not require some shared variables.
type chooser interface{ optional() []string }

func optionalOf(program any) []string {
	if own, ok := program.(chooser); ok {
		return own.optional()
	}

	return nil
}

// fieldsOf returns the variables of a program's type in the order of their declaration.
func fieldsOf[T any]() []field {
	var program T

	fields := appendFields(nil, reflect.TypeFor[T](), nil, defaultsOf(program))
	optional := optionalOf(program)
	for i := range fields {
		fields[i].required = fields[i].required && !slices.Contains(optional, fields[i].name)
	}

	return fields
}

// appendFields walks a struct and its nested structs.
func appendFields(fields []field, in reflect.Type, at []int, own map[string]string) []field {
	for declared := range in.Fields() {
		index := append(slices.Clip(at), declared.Index...)
		name, options, _ := strings.Cut(declared.Tag.Get("env"), ",")

		switch {
		case name != "":
			fields = append(fields, newField(name, options, index, declared, own))
		case declared.Type.Kind() == reflect.Struct:
			fields = appendFields(fields, declared.Type, index, own)
		}
	}

	return fields
}

func newField(name, options string, index []int, declared reflect.StructField, own map[string]string) field {
	fallback := declared.Tag.Get("envDefault")
	if value, ok := own[name]; ok {
		fallback = value
	}

	return field{
		name:        name,
		goName:      declared.Name,
		index:       index,
		kind:        declared.Type,
		fallback:    fallback,
		required:    strings.Contains(options, "required") && fallback == "",
		description: declared.Tag.Get("desc"),
		example:     declared.Tag.Get("example"),
		format:      declared.Tag.Get("format"),
		isSecret:    declared.Type == reflect.TypeFor[Secret]() || declared.Type == reflect.TypeFor[EncryptionKeys](),
	}
}

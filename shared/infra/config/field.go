package config

import (
	"cmp"
	"errors"
	"fmt"
	"log/slog"
	"net/netip"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/caarlos0/env/v11"
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

// field is one variable of a program's type.
type field struct {
	Variable

	index  []int
	kind   reflect.Type
	format string
}

// Describe returns the variables of a program in the order of their declaration.
func Describe[T any]() []Variable {
	var variables []Variable
	for _, f := range fieldsOf(reflect.TypeFor[T](), nil, "") {
		variables = append(variables, f.Variable)
	}
	return variables
}

// fieldsOf returns the variables of a struct and of those inside it in the order of their declaration. The tag around is
// that of the struct in the program's type.
func fieldsOf(in reflect.Type, at []int, around reflect.StructTag) []field {
	var fields []field
	for declared := range in.Fields() {
		index := append(slices.Clip(at), declared.Index...)
		name, options, _ := strings.Cut(declared.Tag.Get("env"), ",")
		switch {
		case name != "":
			fallback := cmp.Or(around.Get(name), declared.Tag.Get("envDefault"))
			fields = append(fields, field{
				Variable: Variable{
					Name: name, Default: fallback, Description: declared.Tag.Get("desc"), Example: declared.Tag.Get("example"),
					Required: options == "required" && fallback == "" && around.Get("optional") == "",
					Secret:   declared.Type == reflect.TypeFor[Secret]() || declared.Type == reflect.TypeFor[EncryptionKeys](),
				},
				index: index, kind: declared.Type, format: declared.Tag.Get("format"),
			})
		case declared.Type.Kind() == reflect.Struct:
			fields = append(fields, fieldsOf(declared.Type, index, cmp.Or(declared.Tag, around))...)
		}
	}
	return fields
}

// load sets a value from the environment. It returns the problem of the variable, or an empty string. An error means that
// the variable is declared incorrectly.
func (f field) load(environ map[string]string, into reflect.Value) (problem string, err error) {
	text, problem := f.text(environ)
	switch {
	case problem != "":
		return problem, nil
	case text == "" && f.Required:
		return "is required and not set", nil
	case text == "":
		return "", nil
	}
	parsed := reflect.New(reflect.StructOf([]reflect.StructField{{Name: "Value", Type: f.kind, Tag: `env:"VALUE"`}}))
	err = env.ParseWithOptions(parsed.Interface(), env.Options{Environment: map[string]string{"VALUE": text}})
	if malformed := (env.ParseError{}); errors.As(err, &malformed) {
		return f.malformed(text, malformed.Err), nil
	}
	if err != nil {
		return "", err
	}
	into.Set(parsed.Elem().Field(0))
	if f.format == "" {
		return "", nil
	}
	check, ok := formats[f.format]
	if !ok {
		return "", fmt.Errorf("the format %q is unknown", f.format)
	}
	return check(into.Interface()), nil
}

// malformed describes an invalid value for an operator. It includes the cause only for a type whose errors never quote a
// secret.
func (f field) malformed(value string, cause error) string {
	if f.kind == reflect.TypeFor[EncryptionKeys]() {
		return "is malformed: " + strings.ReplaceAll(cause.Error(), "\n", "; ")
	}
	if f.Secret {
		return "is malformed"
	}
	return quote(value) + " " + cmp.Or(map[reflect.Type]string{
		reflect.TypeFor[int]():            "is not a whole number",
		reflect.TypeFor[int64]():          "is not a whole number",
		reflect.TypeFor[float64]():        "is not a number",
		reflect.TypeFor[time.Duration]():  "is not a duration with a unit",
		reflect.TypeFor[Wait]():           `is neither a duration of zero or more, such as 1s, nor "off"`,
		reflect.TypeFor[slog.Level]():     "is not debug, info, warn or error",
		reflect.TypeFor[[]netip.Prefix](): "is not a list of networks in CIDR form",
	}[f.kind], "is malformed")
}

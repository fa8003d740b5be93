package operator

import (
	"context"
	"slices"

	"fencepost.internal/shared/platform/connectors"
)

// MemberVariable is the name of a variable of an application.
const (
	MemberVariable  = "VARIABLE"
	MemberValueFile = "value-file"
)

// SetApplication stores the id or the secret of an application by the name of its variable; an empty value deletes it.
// The environment variable overrides it.
func (o *Operator) SetApplication(ctx context.Context, variable, value string) error {
	var f faults
	if !slices.Contains(connectors.Variables(), variable) {
		f.add(MemberVariable, "%q is not a variable of an application; choose %s", variable, oneOf(connectors.Variables()))
	}
	f.token(MemberValueFile, value)
	if err := f.err(); err != nil {
		return err
	}
	return o.apps.Set(ctx, map[string]string{variable: value}, "operator")
}

// Application reports whether a variable of an application is stored.
type Application struct {
	Variable string
	IsStored bool
}

// Applications lists the variables of applications.
func (o *Operator) Applications(ctx context.Context) ([]Application, error) {
	stored, err := o.apps.All(ctx)
	if err != nil {
		return nil, err
	}
	var list []Application
	for _, name := range connectors.Variables() {
		_, is := stored[name]
		list = append(list, Application{Variable: name, IsStored: is})
	}
	return list, nil
}

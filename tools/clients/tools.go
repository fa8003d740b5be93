//go:build tools

// Package clients lists what generated clients import, so that go.mod and go.sum have it.
package clients

import (
	_ "github.com/google/uuid"
	_ "github.com/oapi-codegen/runtime"
	_ "github.com/oapi-codegen/runtime/types"
	_ "github.com/ogen-go/ogen/http"
	_ "github.com/ogen-go/ogen/middleware"
	_ "github.com/ogen-go/ogen/otelogen"
	_ "github.com/ogen-go/ogen/uri"
	_ "github.com/ogen-go/ogen/validate"
)

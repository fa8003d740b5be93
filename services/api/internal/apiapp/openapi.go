package apiapp

import (
	"fmt"
	"io"

	"socialpub.internal/services/api/internal/httpapi"
)

// OpenAPI prints the API's document as YAML and returns the exit code.
func OpenAPI(out io.Writer) int {
	document, err := httpapi.OpenAPI()
	if err == nil {
		_, err = out.Write(document)
	}
	if err != nil {
		_, _ = fmt.Fprintf(out, "api openapi: %v\n", err)
		return 1
	}
	return 0
}

package main

import (
	"fmt"
	"io"

	"fencepost.internal/services/api/internal/httpapi"
)

// documents returns the generators of the printable documents, by command-line argument.
func documents() map[string]func() ([]byte, error) {
	return map[string]func() ([]byte, error){
		"openapi":      httpapi.OpenAPI,      // the OpenAPI document, as YAML
		"event-schema": httpapi.EventSchemas, // the schemas of events, as JSON Schema
	}
}

// prints reports whether the argument names a document.
func prints(argument string) bool { return documents()[argument] != nil }

// printDocument prints the document named by the argument and returns the exit code.
func printDocument(argument string, out io.Writer) int {
	document, err := documents()[argument]()
	if err == nil {
		_, err = out.Write(document)
	}
	if err != nil {
		_, _ = fmt.Fprintf(out, "api %s: %v\n", argument, err)
		return 1
	}
	return 0
}

package httpapi

import (
	"fmt"
	"maps"
	"strings"

	"fencepost.internal/services/internal/apiforms"
)

const (
	// extensionValues lists the present values of an open enumeration.
	extensionValues = "x-extensible-enum"
	// suffixInput is the name suffix of the closed form of an enumeration, which requests use.
	suffixInput = "Input"
	// suffixRequest is the name suffix of the body of a request.
	suffixRequest = "Request"
)

// openEnums opens the enumerations of responses and events, because values are added without notice and some generated
// clients refuse a value that the document does not list. They become texts whose description lists the present values.
// Requests keep the closed form; where responses use an enumeration too, requests have it under the suffix Input.
func (p *publisher) openEnums(whole object) {
	sent, received := make(map[string]bool), make(map[string]bool)
	for _, path := range member(whole, "paths") {
		for _, op := range asObject(path) {
			op := asObject(op)
			p.reach(op["requestBody"], sent)
			p.reach(op["parameters"], sent)
			p.reach(op["responses"], received)
			p.reach(op["callbacks"], received)
		}
	}
	p.reach(member(whole, "components")["parameters"], sent)
	p.reach(member(whole, "components")["responses"], received)
	p.reach(whole[keyWebhooks], received)
	for name := range received {
		if schema := member(p.schemas, name); sent[name] && isEnum(schema) {
			p.schemas[name+suffixInput] = maps.Clone(schema)
		}
	}
	for name, schema := range p.schemas {
		if received[name] {
			visit(schema, open30)
		} else {
			visit(schema, p.referInput)
		}
	}
	for _, path := range member(whole, "paths") {
		for _, op := range asObject(path) {
			op := asObject(op)
			visit(op["requestBody"], p.referInput)
			visit(op["parameters"], p.referInput)
			visit(op["responses"], open30)
		}
	}
}

func asObject(value any) object {
	inner, _ := value.(object)
	return inner
}

// reach adds the names of the schemas that a part of the document refers to.
func (p *publisher) reach(part any, found map[string]bool) {
	visit(part, func(s object) {
		if name := referred(s); name != "" && !found[name] {
			found[name] = true
			p.reach(p.schemas[name], found)
		}
	})
}

// isEnum reports whether a schema is an enumeration of several values. One value is the mark of a union's form.
func isEnum(s object) bool {
	values, _ := s[keyEnum].([]any)
	return len(values) > 1
}

// open30 opens an enumeration.
func open30(s object) {
	if !isEnum(s) {
		return
	}
	values, _ := s[keyEnum].([]any)
	text, _ := s[keyDescription].(string)
	text = strings.TrimSpace(strings.ReplaceAll(text, "Tolerate new values.", ""))
	s[keyDescription] = strings.TrimSpace(fmt.Sprintf("%s One of %s. Tolerate new values.", text, listed(values)))
	s[extensionValues] = values
	delete(s, keyEnum)
}

// referInput makes a reference of a request refer to the closed form of an enumeration.
func (p *publisher) referInput(s object) {
	if name := referred(s); name != "" && p.schemas[name+suffixInput] != nil && isEnum(member(p.schemas, name+suffixInput)) {
		s[keyRef] = apiforms.ComponentSchemas + name + suffixInput
	}
}

// nameRequests gives the bodies of requests names that say so, and other schemas names that are not too general for the
// types of a client.
func (p *publisher) nameRequests(whole object) {
	names := map[string]string{"Board": "PinterestBoard", "Upload": "MediaUpload"}
	for _, path := range member(whole, "paths") {
		for _, op := range asObject(path) {
			content := member(member(asObject(op), "requestBody"), "content")
			if name := referred(member(member(content, mediaJSON), "schema")); name != "" {
				names[name] = name + suffixRequest
			}
		}
	}
	for from, to := range names {
		if schema, ok := p.schemas[from]; ok {
			p.schemas[to] = schema
			delete(p.schemas, from)
		}
	}
	renameIn(whole, func(ref string) string {
		if name, ok := strings.CutPrefix(ref, apiforms.ComponentSchemas); ok && names[name] != "" {
			return apiforms.ComponentSchemas + names[name]
		}
		return ref
	})
}

// renameIn replaces references, also in the mappings of discriminators.
func renameIn(value any, rename func(ref string) string) {
	switch value := value.(type) {
	case []any:
		for _, item := range value {
			renameIn(item, rename)
		}
	case object:
		for key, inner := range value {
			if text, ok := inner.(string); ok && strings.HasPrefix(text, apiforms.ComponentSchemas) {
				value[key] = rename(text)
				continue
			}
			renameIn(inner, rename)
		}
	}
}

package docs

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
)

// collectionSchema identifies the format of the collection.
const collectionSchema = "https://schema.getpostman.com/json/collection/v2.1.0/collection.json"

// Elements of a collection of requests in Postman's format, version 2.1.
type (
	postmanCollection struct {
		Info     postmanInfo       `json:"info"`
		Item     []postmanFolder   `json:"item"`
		Auth     postmanAuth       `json:"auth"`
		Variable []postmanVariable `json:"variable"`
	}
	postmanInfo struct {
		Name        string `json:"name"`
		Description string `json:"description"`
		Version     string `json:"version"`
		Schema      string `json:"schema"`
	}
	postmanFolder struct {
		Name        string        `json:"name"`
		Description string        `json:"description"`
		Item        []postmanItem `json:"item"`
	}
	postmanItem struct {
		Name     string         `json:"name"`
		Request  postmanRequest `json:"request"`
		Response []any          `json:"response"`
	}
	postmanRequest struct {
		Method      string            `json:"method"`
		Description string            `json:"description"`
		Auth        *postmanAuth      `json:"auth,omitempty"`
		Header      []postmanVariable `json:"header"`
		URL         postmanURL        `json:"url"`
		Body        *postmanBody      `json:"body,omitempty"`
	}
	postmanURL struct {
		Raw      string            `json:"raw"`
		Host     []string          `json:"host"`
		Path     []string          `json:"path"`
		Query    []postmanVariable `json:"query,omitempty"`
		Variable []postmanVariable `json:"variable,omitempty"`
	}
	postmanBody struct {
		Mode    string         `json:"mode"`
		Raw     string         `json:"raw"`
		Options map[string]any `json:"options"`
	}
	postmanAuth struct {
		Type   string            `json:"type"`
		Bearer []postmanVariable `json:"bearer,omitempty"`
	}
	postmanVariable struct {
		Key         string `json:"key"`
		Value       string `json:"value"`
		Type        string `json:"type,omitempty"`
		Description string `json:"description,omitempty"`
		Disabled    bool   `json:"disabled,omitempty"`
	}
)

// collection returns every operation as a collection for Postman and other clients that read its format. The key and the
// address are variables of the collection.
func collection(d document, groups []group, baseURL string) ([]byte, error) {
	out := postmanCollection{
		Info: postmanInfo{
			Name: "Fencepost API", Version: d.Info.Version, Schema: collectionSchema,
			Description: "Set the variable apiKey to an API key. A key of a test workspace reaches no network.",
		},
		Auth: postmanAuth{Type: "bearer", Bearer: []postmanVariable{{Key: "token", Value: "{{apiKey}}", Type: "string"}}},
		Variable: []postmanVariable{
			{Key: "baseUrl", Value: baseURL, Type: "string"}, {Key: "apiKey", Value: "", Type: "string"},
		},
	}
	for _, g := range groups {
		folder := postmanFolder{Name: g.Name, Description: g.Description}
		for _, op := range g.Operations {
			folder.Item = append(folder.Item, postmanItem{Name: op.Summary, Request: requestOf(op), Response: []any{}})
		}
		out.Item = append(out.Item, folder)
	}
	raw, err := json.MarshalIndent(out, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("docs: %w", err)
	}
	return raw, nil
}

func requestOf(op *operation) postmanRequest {
	path := strings.NewReplacer("{", ":", "}", "").Replace(op.Path)
	r := postmanRequest{
		Method: op.Method, Description: op.Description, Header: []postmanVariable{},
		URL: postmanURL{Raw: "{{baseUrl}}" + path, Host: []string{"{{baseUrl}}"}, Path: strings.Split(strings.TrimPrefix(path, "/"), "/")},
	}
	if op.Public {
		r.Auth = &postmanAuth{Type: "noauth"}
	}
	for _, p := range op.Parameters {
		v := postmanVariable{Key: p.Name, Description: p.Description}
		switch p.In {
		case "path":
			r.URL.Variable = append(r.URL.Variable, v)
		case "query":
			v.Disabled = !p.Required
			r.URL.Query = append(r.URL.Query, v)
		case "header":
			v.Disabled = !p.Required
			if p.Name == "Idempotency-Key" && op.Method != http.MethodGet {
				v.Value, v.Disabled = "{{$guid}}", false // a new one for each request
			}
			r.Header = append(r.Header, v)
		}
	}
	if op.RequestBody == nil {
		return r
	}
	r.Body = &postmanBody{Mode: "raw", Options: map[string]any{"raw": map[string]string{"language": "json"}}}
	if examples := examplesOf(op.RequestBody.Content); len(examples) > 0 {
		r.Body.Raw = examples[0].Source
	}
	r.Header = append(r.Header, postmanVariable{Key: "Content-Type", Value: typeJSON})
	return r
}

package fencepost_test

import (
	"context"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	fencepost "fencepost.internal/sdk/go"
)

// documented returns the operations of the OpenAPI document, as "GET /v1/posts/{}".
func documented(t *testing.T) []string {
	t.Helper()
	raw, err := os.ReadFile("../../docs/openapi.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	var path string
	_, text, _ := strings.Cut(string(raw), "\npaths:\n")
	text = regexp.MustCompile(`(?m)^\S`).Split(text, 2)[0] // up to the next member of the document
	line := regexp.MustCompile(`(?m)^  (/v1/\S+):$|^    (get|post|put|patch|delete):$`)
	for _, found := range line.FindAllStringSubmatch(text, -1) {
		if found[1] != "" {
			path = regexp.MustCompile(`{\w+}`).ReplaceAllString(found[1], "{}")
			continue
		}
		out = append(out, strings.ToUpper(found[2])+" "+path)
	}
	slices.Sort(out)
	return out
}

// helpers are the methods that are no operation.
var helpers = []string{
	"Events.Follow", "Events.FollowWith", "Ideas.ListCards", "Media.Upload", "Media.UploadBytes", "Media.UploadFile", "Posts.WaitUntilDone", "Webhooks.Verify",
}

// TestEveryOperationHasAMethod calls every method once, and compares the requests with the document.
func TestEveryOperationHasAMethod(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	called := map[string]int{}
	keys := map[string]bool{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		name := r.Method + " " + strings.ReplaceAll(strings.ReplaceAll(r.URL.Path, "id-0", "{}"), "id-1", "{}")
		called[name]++
		keys[name] = r.Header.Get("Idempotency-Key") != ""
		_, _ = w.Write([]byte("null"))
	}))
	t.Cleanup(server.Close)
	client, err := fencepost.New(fencepost.Options{URL: server.URL + "/", APIKey: "k"})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := client.GetWorkspace(t.Context()); err != nil {
		t.Error(err)
	}
	if _, err := client.GetOpenAPI(t.Context()); err != nil {
		t.Error(err)
	}
	resources := reflect.ValueOf(client).Elem()
	for i := range resources.NumField() {
		if field := resources.Type().Field(i); field.IsExported() {
			callAll(t, field.Name, resources.Field(i))
		}
	}
	if got, want := slices.Sorted(maps.Keys(called)), documented(t); !slices.Equal(got, want) {
		t.Errorf("the methods call\n%s\ninstead of\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	for name, keyed := range keys {
		creates := strings.HasPrefix(name, "POST") && !strings.HasSuffix(name, "/validate") && !strings.HasSuffix(name, "/simulate")
		if keyed != (creates || strings.HasPrefix(name, "PATCH")) {
			t.Errorf("%s has a key: %v", name, keyed)
		}
		if called[name] != 1 {
			t.Errorf("%d methods call %s", called[name], name)
		}
	}
}

func callAll(t *testing.T, name string, resource reflect.Value) {
	t.Helper()
	for i := range resource.NumMethod() {
		method := name + "." + resource.Type().Method(i).Name
		if slices.Contains(helpers, method) {
			continue
		}
		out := resource.Method(i).Call(zeros(t.Context(), resource.Method(i).Type()))
		last := out[len(out)-1]
		if last.Kind() == reflect.Func { // an iterator
			for _, err := range last.Seq2() {
				last = err
			}
		}
		if err, failed := last.Interface().(error); failed {
			t.Errorf("%s: %v", method, err)
		}
	}
}

// zeros returns arguments for a method: ids, and zero values.
func zeros(ctx context.Context, method reflect.Type) []reflect.Value {
	in := []reflect.Value{reflect.ValueOf(ctx)}
	for i := 1; i < method.NumIn()-1; i++ { // the last ones are options
		if argument := method.In(i); argument.Kind() == reflect.String {
			in = append(in, reflect.ValueOf("id-"+strconv.Itoa(i-1)))
		} else {
			in = append(in, reflect.Zero(argument))
		}
	}
	return in
}

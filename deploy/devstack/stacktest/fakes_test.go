package stacktest_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"slices"
	"strings"
	"time"
)

// fakes returns the programs of the services, which this test binary replaces when it is started under their names.
func fakes() []string {
	return []string{"api", "worker", "mcp", "console", "pages", "files", "inbound", "sandbox", "migrate", "admin"}
}

func runFake(name string, args []string) int {
	if err := fake(name, args); err != nil {
		return fail(err)
	}
	return 0
}

func fake(name string, args []string) error {
	switch name {
	case "migrate":
		fmt.Fprintln(os.Stdout, "migrated", args)
		return nil
	case "admin":
		if slices.Contains(args, "environment") {
			fmt.Fprintln(os.Stdout, args, strings.Join(os.Environ(), "\n"))
			return nil
		}
		return fakeSeed(args)
	default:
		return fakeServe()
	}
}

// fakeSeed stores its keys in the state file, as the real command does.
func fakeSeed(args []string) error {
	state := args[slices.Index(args, "--state")+1]
	raw, err := os.ReadFile(state)
	if err == nil {
		fmt.Fprintln(os.Stdout, string(raw))
		return nil
	}
	raw, err = json.Marshal(map[string]any{
		"user": map[string]string{"email": "dev@example.test", "password": "pw"},
		"workspaces": []any{map[string]any{
			"id": "w1", "name": "Acme", "plan": "GROWTH", "apiKey": fmt.Sprint("svc_live_", time.Now().UnixNano()),
			"readOnlyApiKey": "svc_live_ro",
			"channels":       []any{map[string]string{"id": "c1", "type": "THREADS", "name": "acme"}},
		}},
	})
	if err != nil {
		return err
	}
	fmt.Fprintln(os.Stdout, string(raw))
	return os.WriteFile(state, raw, 0o600)
}

// fakeServe serves /readyz, returns its environment at /env, and crashes on a request to /crash.
func fakeServe() error {
	fmt.Fprintln(os.Stdout, "serving", os.Getenv("OPS_ADDR"))
	mux := http.NewServeMux()
	mux.HandleFunc("/readyz", func(http.ResponseWriter, *http.Request) {})
	mux.HandleFunc("/env", func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprintln(w, strings.Join(os.Environ(), "\n"))
	})
	mux.HandleFunc("/crash", func(http.ResponseWriter, *http.Request) { os.Exit(7) }) //nolint:revive // a crash
	server := &http.Server{Addr: os.Getenv("OPS_ADDR"), Handler: mux, ReadHeaderTimeout: timeout}
	return server.ListenAndServe()
}

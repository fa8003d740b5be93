// Command fakes is a fake of all programs of the services. It acts as the program whose name it was started under.
package main

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

func main() {
	if err := run(filepath.Base(os.Args[0]), os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(name string, args []string) error {
	switch name {
	case "migrate":
		fmt.Println("migrated", args)
		return nil
	case "admin":
		if slices.Contains(args, "environment") {
			fmt.Println(args, strings.Join(os.Environ(), "\n"))
			return nil
		}
		return seed(args)
	default:
		return serve()
	}
}

// seed stores its keys in the state file, as the real command does.
func seed(args []string) error {
	state := args[slices.Index(args, "--state")+1]
	raw, err := os.ReadFile(state)
	if err == nil {
		fmt.Println(string(raw))
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
	fmt.Println(string(raw))
	return os.WriteFile(state, raw, 0o600)
}

// serve serves /readyz, returns its environment at /env, and crashes on a request to /crash.
func serve() error {
	slog.Info("serving", slog.String("address", os.Getenv("OPS_ADDR")))
	mux := http.NewServeMux()
	mux.HandleFunc("/readyz", func(http.ResponseWriter, *http.Request) {})
	mux.HandleFunc("/env", func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprintln(w, strings.Join(os.Environ(), "\n"))
	})
	mux.HandleFunc("/crash", func(http.ResponseWriter, *http.Request) { os.Exit(7) })
	return http.ListenAndServe(os.Getenv("OPS_ADDR"), mux)
}

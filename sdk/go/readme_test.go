package fencepost_test

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	fencepost "fencepost.internal/sdk/go"
	"fencepost.internal/sdk/go/internal/player"
)

const (
	channelA = "0190a3c5-1b02-7d6f-8a44-5f1d2c3b4a59"
	channelB = "0190a3c5-1b02-7d6f-8a44-5f1d2c3b4a60"
	postA    = "0190a3c6-2c13-7e7a-9b55-6a2e3d4c5b60"
)

// TestReadmeHasTheRecipes compares the Go blocks of README.md with the functions of recipes_test.go.
func TestReadmeHasTheRecipes(t *testing.T) {
	t.Parallel()
	readme, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	var blocks strings.Builder
	for _, block := range regexp.MustCompile("(?s)```go\n(.*?)```").FindAllSubmatch(readme, -1) {
		blocks.Write(block[1])
	}
	source, err := os.ReadFile("recipes_test.go")
	if err != nil {
		t.Fatal(err)
	}
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, "recipes_test.go", source, 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, declaration := range file.Decls {
		if function, ok := declaration.(*ast.FuncDecl); ok {
			text := string(source[files.Position(function.Pos()).Offset:files.Position(function.End()).Offset])
			if !strings.Contains(blocks.String(), text) {
				t.Errorf("README.md does not have the present %s", function.Name.Name)
			}
		}
	}
}

// recipes are the calls of the recipes, each with a check of what it returned.
var recipes = map[string]func(ctx context.Context, c *fencepost.Client) error{
	"schedule": func(ctx context.Context, c *fencepost.Client) error {
		post, err := schedule(ctx, c, channelA)
		return first(err, func() bool { return post.Status == fencepost.PostStatusScheduled })
	},
	"picture": func(ctx context.Context, c *fencepost.Client) error {
		folder, err := os.MkdirTemp("", "recipe")
		if err != nil {
			return err
		}
		defer os.RemoveAll(folder)
		path := filepath.Join(folder, "sunrise.jpg")
		if err := os.WriteFile(path, []byte("hello world!"), 0o600); err != nil {
			return err
		}
		post, err := publishPicture(ctx, c, channelA, path)
		return first(err, func() bool { return *post.PostURL == "https://t.me/acme_news/42" })
	},
	"variants": func(ctx context.Context, c *fencepost.Client) error {
		posts, err := scheduleVariants(ctx, c, channelA, channelB)
		return first(err, func() bool { return len(posts) == 2 && posts[1].ChannelID == channelB })
	},
	"next-slot": func(ctx context.Context, c *fencepost.Client) error {
		posts, err := nextSlot(ctx, c, channelA)
		return first(err, func() bool { return posts[0].ScheduledAt.Year() == 2026 })
	},
	"approval": func(ctx context.Context, c *fencepost.Client) error {
		post, err := approve(ctx, c, channelA)
		return first(err, func() bool { return post.Status == fencepost.PostStatusDraft })
	},
	"failed": func(ctx context.Context, c *fencepost.Client) error {
		retried, err := retryFailed(ctx, c)
		return first(err, func() bool { return len(retried) == 1 && retried[0] == postA })
	},
	"move": func(ctx context.Context, c *fencepost.Client) error {
		post, err := move(ctx, c, postA)
		return first(err, func() bool { return post.ScheduledAt.Day() == 2 })
	},
	"receiver": func(ctx context.Context, c *fencepost.Client) error {
		secret, err := register(ctx, c)
		if err != nil {
			return err
		}
		genuine, handled := deliver(ctx, secret, secret)
		forged, ignored := deliver(ctx, secret, "whsec_"+strings.Repeat("A", 44))
		return first(nil, func() bool {
			return genuine == http.StatusNoContent && handled == 1 && forged == http.StatusUnauthorized && ignored == 0
		})
	},
	"follow": func(ctx context.Context, c *fencepost.Client) error {
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		var cursors []string
		err := follow(ctx, c, "e1", func(cursor string) {
			if cursors = append(cursors, cursor); len(cursors) == 3 {
				cancel()
			}
		})
		return first(nil, func() bool {
			return errors.Is(err, context.Canceled) && strings.Join(cursors, " ") == "e1 e3 e4"
		})
	},
	"figures": func(ctx context.Context, c *fencepost.Client) error {
		day, err := figures(ctx, c, postA)
		return first(err, func() bool { return *day.Likes == 48 && day.Reach == nil })
	},
}

func first(err error, fits func() bool) error {
	if err == nil && !fits() {
		return errors.New("the recipe returns something else")
	}
	return err
}

// deliver sends a signed event to the receiver of the recipe.
func deliver(ctx context.Context, secret, signer string) (status, handled int) {
	body := []byte(`{"id":"evt_1","type":"post.published","data":{}}`)
	request := httptest.NewRequestWithContext(ctx, http.MethodPost, "/", bytes.NewReader(body))
	at := strconv.FormatInt(time.Now().Unix(), 10)
	mac := hmac.New(sha256.New, []byte(signer))
	mac.Write(append([]byte(at+"."), body...))
	request.Header.Set("X-Service-Signature", "t="+at+",v1="+hex.EncodeToString(mac.Sum(nil)))
	recorder := httptest.NewRecorder()
	receiver(secret, func(*fencepost.Event) { handled++ })(recorder, request)
	return recorder.Code, handled
}

func TestRecipes(t *testing.T) {
	t.Parallel()
	table, err := player.Read("../conformance/recipes.json")
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(player.New(table).Handler())
	t.Cleanup(server.Close)
	if len(table.Cases) != len(recipes) {
		t.Fatalf("there are %d recipes for %d cases", len(recipes), len(table.Cases))
	}
	for _, c := range table.Cases {
		t.Run(c.Name, func(t *testing.T) {
			t.Parallel()
			var armed struct{ Run, BaseURL string }
			controlPlayer(t, http.MethodPost, server.URL+"/_case/"+c.Name, &armed)
			client, err := fencepost.New(fencepost.Options{
				URL: armed.BaseURL, APIKey: "svc_test_recipes", Clock: &scriptedClock{now: began(t, table, c), onWait: func(int) {}},
			})
			if err != nil {
				t.Fatal(err)
			}
			if err := recipes[c.Name](t.Context(), client); err != nil {
				t.Error(err)
			}
			var report player.Report
			controlPlayer(t, http.MethodGet, server.URL+"/_run/"+armed.Run+"/report", &report)
			if !report.OK {
				t.Error(strings.Join(report.Failures, "\n"))
			}
		})
	}
}

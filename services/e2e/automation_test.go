package e2e_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	fencepost "fencepost.internal/sdk/go"
	"fencepost.internal/services/e2e/harness"
	"fencepost.internal/shared/domain/channel"
)

// automationPage is the documentation whose requests the tests send.
const automationPage = "../../docs/reference/automation.md"

// recipe is a request, or a step of code, of the page.
type recipe struct {
	settings map[string]string // of the comment before it
	language string
	text     string
}

// automationRecipes returns the recipes of an application in their order.
func automationRecipes(t *testing.T, application string) (found []recipe) {
	t.Helper()
	page, err := os.ReadFile(automationPage)
	require.NoError(t, err)
	blocks := regexp.MustCompile("(?s)<!-- recipe: ([^>]*) -->\n```(\\w+)\n(.*?)```").FindAllStringSubmatch(string(page), -1)
	require.Len(t, blocks, strings.Count(string(page), "<!-- recipe: "), "each comment has its block")
	require.Equal(t, strings.Count(string(page), "```http"), strings.Count(string(page), "-->\n```http"), "each request is sent")
	for _, block := range blocks {
		name, rest, _ := strings.Cut(block[1], "; ")
		if name != application {
			continue
		}
		settings := map[string]string{}
		for setting := range strings.SplitSeq(rest, "; ") {
			key, value, _ := strings.Cut(setting, ": ")
			settings[key] = value
		}
		found = append(found, recipe{settings: settings, language: block[2], text: block[3]})
	}
	require.NotEmpty(t, found)
	return found
}

// automation sends the recipes as the application does, which inserts values into texts.
type automation struct {
	s      *harness.System
	values map[string]string
	bytes  []byte // what {{BYTES}} are
}

// fill inserts the values. A value that no response has had is a fault of the page.
func (a *automation) fill(t *testing.T, text string) string {
	t.Helper()
	return regexp.MustCompile(`\{\{(\w+)\}\}`).ReplaceAllStringFunc(text, func(name string) string {
		value, ok := a.values[strings.Trim(name, "{}")]
		require.True(t, ok, "%s has a value", name)
		return value
	})
}

// send sends the request of a recipe, checks its status, and keeps the values that the recipe names.
func (a *automation) send(t *testing.T, r recipe) (http.Header, any) {
	t.Helper()
	head, body, _ := strings.Cut(a.fill(t, r.text), "\n\n")
	lines := strings.Split(strings.TrimSpace(head), "\n")
	method, address, ok := strings.Cut(lines[0], " ")
	require.True(t, ok, lines[0])
	content := []byte(strings.TrimSpace(body))
	if r.settings["body"] == "BYTES" {
		content = a.bytes
	}
	request, err := http.NewRequestWithContext(t.Context(), method, address, bytes.NewReader(content))
	require.NoError(t, err)
	for _, line := range lines[1:] {
		name, value, ok := strings.Cut(line, ": ")
		require.True(t, ok, line)
		request.Header.Set(name, value)
	}
	response, err := a.s.HTTP.Do(request)
	require.NoError(t, err)
	defer func() { _ = response.Body.Close() }()
	var received bytes.Buffer
	_, err = received.ReadFrom(response.Body)
	require.NoError(t, err)
	require.Equal(t, r.settings["status"], strconv.Itoa(response.StatusCode), "%s %s: %s", method, address, received.String())
	var value any
	if strings.Contains(response.Header.Get("Content-Type"), "json") {
		require.NoError(t, json.Unmarshal(received.Bytes(), &value), received.String())
	}
	if code := r.settings["code"]; code != "" {
		require.Equal(t, code, memberOf(t, value, "/code"))
	}
	for name, pointer := range r.settings {
		if strings.HasPrefix(pointer, "/") {
			a.values[name] = fmt.Sprint(memberOf(t, value, pointer))
		}
	}
	return response.Header, value
}

// memberOf returns the member of a JSON value at a pointer.
func memberOf(t *testing.T, value any, pointer string) any {
	t.Helper()
	for name := range strings.SplitSeq(strings.TrimPrefix(pointer, "/"), "/") {
		switch within := value.(type) {
		case map[string]any:
			require.Contains(t, within, name)
			value = within[name]
		case []any:
			i, err := strconv.Atoi(name)
			require.NoError(t, err)
			require.Greater(t, len(within), i)
			value = within[i]
		default:
			require.Failf(t, "no member", "%s in %v", name, value)
		}
	}
	return value
}

// published waits for the delivery that says that the post of the recipes is published.
func (a *automation) published(t *testing.T) (delivery harness.Received) {
	t.Helper()
	a.s.Receiver.Trust(a.values["SECRET"])
	a.s.Publish(a.values["NEXT"])
	require.EventuallyWithT(t, func(c *assert.CollectT) {
		for _, received := range a.s.Receiver.All() {
			if received.Verified && received.Type == "post.published" && received.Data["postId"] == a.values["NEXT"] {
				delivery = received
			}
		}
		require.NotEmpty(c, delivery.ID)
	}, soon, 50*time.Millisecond)
	return delivery
}

// channelType returns the type of the channel of the recipes.
func (a *automation) channelType(t *testing.T) channel.Type {
	t.Helper()
	for typ, c := range a.s.Channels {
		if c.ID.String() == a.values["CHANNEL"] {
			return typ
		}
	}
	require.Fail(t, "the channel is one of the system")
	return ""
}

// runCode runs the step of code on a delivery, and returns its output.
func runCode(t *testing.T, code string, input map[string]string) (map[string]string, error) {
	t.Helper()
	data, err := json.Marshal(input)
	require.NoError(t, err)
	program := "let output; const inputData = " + string(data) + ";\n" + code + "\nconsole.log(JSON.stringify(output));"
	file := filepath.Join(t.TempDir(), "step.cjs")
	require.NoError(t, os.WriteFile(file, []byte(program), 0o600))
	out, err := exec.CommandContext(t.Context(), "node", file).Output()
	if err != nil {
		return nil, fmt.Errorf("run the step: %w", err)
	}
	var output map[string]string
	require.NoError(t, json.Unmarshal(out, &output), "%s", out)
	return output, nil
}

// TestAutomationRecipes sends the requests of docs/reference/automation.md to the running system, in their order, and each
// that creates something twice.
func TestAutomationRecipes(t *testing.T) {
	t.Parallel()
	s := running(t)
	picture := harness.Picture(t, 9)
	source := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(picture) }))
	t.Cleanup(source.Close)
	for _, application := range []string{"zapier", "make"} {
		t.Run(application, func(t *testing.T) {
			text := "A post by " + application
			a := &automation{s: s.In(t), bytes: picture, values: map[string]string{
				"API": s.APIURL, "KEY": s.Key, "RECORD": "row-4711", "TEXT": text, "PICTURE": source.URL + "/picture.jpg",
				"SIZE": strconv.Itoa(len(picture)), "HOOK": s.Receiver.URL() + "/" + application,
			}}
			var delivery harness.Received
			for _, r := range automationRecipes(t, application) {
				if r.language == "js" {
					a.checkCode(t, r.text, delivery)
					continue
				}
				if r.settings["event"] != "" {
					a.values["EVENT"], a.values["POST_URL"] = delivery.ID, fmt.Sprint(delivery.Data["postUrl"])
				}
				_, first := a.send(t, r)
				if strings.Contains(r.text, "Idempotency-Key") && r.settings["status"] != "422" {
					headers, second := a.send(t, r)
					require.Equal(t, "true", headers.Get("Idempotent-Replayed"), r.text)
					require.Equal(t, first, second)
				}
				if r.settings["SECRET"] != "" {
					a.values["NEXT"] = a.s.Create(a.channelType(t), "The next post by "+application, "draft").ID
					delivery = a.published(t)
				}
			}
			require.Equal(t, fencepost.PostStatusPublished, settled(t, a.s, a.values["POST"], soon).Status)
			require.Equal(t, 1, s.Sandbox.Count(text), "published once")
			reply := "Have you seen our post? " + fmt.Sprint(delivery.Data["postUrl"])
			posts, err := harness.All(s.API.Posts.List(t.Context(), fencepost.ListPostsParams{ChannelID: []string{a.values["CHANNEL"]}}))
			require.NoError(t, err)
			var replies int
			for _, p := range posts {
				if p.Content == reply {
					replies++
				}
			}
			require.Equal(t, 1, replies)
		})
	}
}

// checkCode runs the verification of deliveries on a genuine delivery, a changed one and an old one.
func (a *automation) checkCode(t *testing.T, code string, delivery harness.Received) {
	t.Helper()
	signature := delivery.Headers.Get("X-Service-Signature")
	input := func(raw, signature string) map[string]string {
		return map[string]string{"raw": raw, "signature": signature, "secret": a.values["SECRET"]}
	}
	output, err := runCode(t, code, input(string(delivery.Body), signature))
	require.NoError(t, err)
	require.Equal(t, delivery.ID, output["id"])
	require.Equal(t, "post.published", output["type"])
	require.Equal(t, delivery.Data["postUrl"], output["postUrl"])
	_, err = runCode(t, code, input(string(delivery.Body)+" ", signature))
	require.Error(t, err, "a changed body")
	_, err = runCode(t, code, input(string(delivery.Body), regexp.MustCompile(`t=\d+`).ReplaceAllString(signature, "t=1772348400")))
	require.Error(t, err, "another time")
	_, err = runCode(t, code, input(string(delivery.Body), ""))
	require.Error(t, err, "no signature")
}

// Command publisher publishes a picture with a text of its own on each channel, and waits for the webhooks. Run again, it
// publishes nothing: API_URL=… API_KEY=… WEBHOOK=127.0.0.1:8098 go run main.go sunrise.jpg spring-1 "TWITTER=Hello"
package main

import (
	"bytes"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"
)

type object = map[string]any

type response struct { // the members of responses, problems and events that this program uses
	ID, Type, Secret, GroupID, Status, PostURL, PostID, MediaID, UploadURL, Code, Detail, NextCursor string
	Headers                                                                                          map[string]string
	Errors                                                                                           json.RawMessage
	Data                                                                                             []response
}

// send repeats a request until its response is final. The key makes a repeated change take effect once.
func send(method, url string, headers map[string]string, body []byte, into any) (problem response) {
	for key, tries := rand.Text(), 0; tries < 8; tries++ {
		request, _ := http.NewRequest(method, url, bytes.NewReader(body))
		request.Header.Set("Idempotency-Key", key)
		for name, value := range headers {
			request.Header.Set(name, value)
		}
		wait := "1"
		if got, err := http.DefaultClient.Do(request); err != nil { // the request may have taken effect
			problem = response{Code: "NO_RESPONSE", Detail: err.Error()}
		} else if raw, err := io.ReadAll(got.Body); err == nil && got.StatusCode < 300 {
			_ = json.Unmarshal(raw, into)
			return response{}
		} else if problem.Code = got.Status; got.StatusCode >= 300 {
			_, wait = json.Unmarshal(raw, &problem), got.Header.Get("Retry-After")
			if got.StatusCode != 429 && got.StatusCode != 503 && problem.Code != "IDEMPOTENCY_IN_PROGRESS" {
				return problem // 422 has every fault with its location in Errors
			}
		}
		pause, _ := time.ParseDuration(wait + "s")
		time.Sleep(max(pause, time.Second))
	}
	return problem
}

func call(method, path string, body object, into any) response {
	headers := map[string]string{"Authorization": "Bearer " + os.Getenv("API_KEY")}
	var raw []byte
	if body != nil {
		headers["Content-Type"] = "application/json"
		raw, _ = json.Marshal(body)
	}
	return send(method, os.Getenv("API_URL")+path, headers, raw, into)
}

func check(problem response) {
	if problem.Code != "" {
		log.Fatal(problem.Code, ": ", problem.Detail, string(problem.Errors))
	}
}

// genuine reports whether a body is signed with the secret at a time near now.
func genuine(header string, body []byte, secret string) bool {
	sent, signatures, _ := strings.Cut(strings.TrimPrefix(header, "t="), ",")
	seconds, _ := strconv.ParseInt(sent, 10, 64)
	mac := hmac.New(sha256.New, []byte(secret))
	fmt.Fprintf(mac, "%s.%s", sent, body)
	want := fmt.Appendf(nil, "v1=%x", mac.Sum(nil))
	matches := func(signature string) bool { return hmac.Equal([]byte(signature), want) }
	recent := time.Since(time.Unix(seconds, 0)).Abs() < 5*time.Minute
	return recent && slices.ContainsFunc(strings.Split(signatures, ","), matches)
}

func main() {
	picture, err := os.ReadFile(os.Args[1])
	if err != nil {
		log.Fatal(err)
	}
	var upload, hook response
	var channels, posts []response
	file := object{"fileName": "picture.jpg", "contentType": "image/jpeg", "sizeBytes": len(picture)}
	check(call("POST", "/v1/media/uploads", file, &upload))
	check(send("PUT", upload.UploadURL, upload.Headers, picture, nil))
	check(call("POST", "/v1/media/uploads/"+upload.MediaID+"/complete", object{}, &upload))
	check(call("GET", "/v1/channels", nil, &channels))
	var variants []object
	for _, text := range os.Args[3:] {
		network, content, _ := strings.Cut(text, "=")
		at := slices.IndexFunc(channels, func(c response) bool { return c.Type == network })
		variants = append(variants, object{"channelId": channels[at].ID, "content": content})
	}
	address, published, types := os.Getenv("WEBHOOK"), make(chan string, 16), []string{"post.published", "post.failed"}
	check(call("POST", "/v1/webhooks", object{"url": "http://" + address + "/", "events": types}, &hook))
	go http.ListenAndServe(address, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var event struct{ Data response }
		body, _ := io.ReadAll(r.Body)
		if !genuine(r.Header.Get("X-Service-Signature"), body, hook.Secret) || json.Unmarshal(body, &event) != nil {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		published <- event.Data.PostID
	}))
	set := object{"externalId": os.Args[2], "mediaIds": []string{upload.ID}, "variants": variants, "schedule": "now"}
	problem := call("POST", "/v1/posts", set, &posts)
	for pending := slices.Clone(posts); len(pending) > 0; { // events may come twice and in any order
		id := <-published
		pending = slices.DeleteFunc(pending, func(p response) bool { return p.ID == id })
	}
	check(call("DELETE", "/v1/webhooks/"+hook.ID, nil, nil))
	if problem.Code == "EXTERNAL_ID_IN_USE" { // 409: an earlier run
		fmt.Println("already posted:", problem.PostID)
		return
	}
	check(problem)
	all := "/v1/posts?limit=1&groupId=" + posts[0].GroupID
	for next := all; next != ""; { // the posts of the set, page by page
		var page response
		check(call("GET", next, nil, &page))
		fmt.Println(page.Data[0].Status, page.Data[0].PostURL)
		if next = ""; page.NextCursor != "" {
			next = all + "&cursor=" + page.NextCursor
		}
	}
}

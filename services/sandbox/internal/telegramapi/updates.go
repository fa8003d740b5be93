package telegramapi

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/netip"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"fencepost.internal/services/sandbox/internal/mediastore"
	"fencepost.internal/services/sandbox/internal/stage"
	"fencepost.internal/shared/domain/channel"
)

// The limits of updates (Bot API: getUpdates, setWebhook; the pauses are those of tdlib/telegram-bot-api, WebhookActor).
const (
	updatesKept       = 24 * time.Hour
	longestPoll       = 50 * time.Second
	mostUpdates       = 100
	secretLongest     = 256
	connectionsUsual  = 40
	connectionsMost   = 100
	longestPause      = time.Minute
	terminatedByOther = "Conflict: terminated by other getUpdates request; make sure that only one bot instance is running"
	terminatedByHook  = "Conflict: terminated by setWebhook request"
	hookActive        = "Conflict: can't use getUpdates method while webhook is active; use deleteWebhook to delete the webhook first"
)

// settings are what a bot set for its updates.
type settings struct {
	Bot, URL, Secret string
	Connections      int
	Allowed          []string // kinds of updates; empty: all usual ones
}

// Key returns the key of the record.
func (s settings) Key() string { return s.Bot }

// bot is the updates of a bot.
type bot struct {
	queue *stage.Queue

	mu   sync.Mutex
	last int64                   // the last update
	poll context.CancelCauseFunc // of the call of getUpdates that waits
}

// bots are the updates of all bots.
type bots struct {
	stage    *stage.Stage
	settings *mediastore.Uploads[settings]

	mu     sync.Mutex
	byName map[string]*bot
}

func openBots(s *stage.Stage, folder string) (*bots, error) {
	records, err := mediastore.OpenUploads[settings](folder, s.Logger)
	if err != nil {
		return nil, err
	}
	b := &bots{stage: s, settings: records, byName: make(map[string]*bot)}
	for _, set := range records.List(func(set settings) bool { return set.URL != "" }) {
		b.of(set.Bot).queue.Push(set.hook())
	}
	return b, nil
}

// of returns the updates of a bot.
func (b *bots) of(name string) *bot {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.byName[name] == nil {
		b.byName[name] = &bot{queue: b.stage.NewQueue(channel.NetworkTelegram)}
	}
	return b.byName[name]
}

// report adds updates of a kind, which concern an account or none, unless the bot does not want the kind.
func (b *bots) report(name, kind, account string, contents ...any) {
	if set, _ := b.settings.Get(name); len(set.Allowed) > 0 && !slices.Contains(set.Allowed, kind) {
		return
	}
	to, now := b.of(name), b.stage.Clock.Now()
	to.mu.Lock()
	defer to.mu.Unlock()
	events := stage.Each(contents, func(content any) stage.Event {
		to.last = max(to.last+1, tick(now))
		body, _ := json.Marshal(stage.Object{"update_id": to.last, kind: content}) // the sandbox's own values
		return stage.Event{ID: to.last, Account: account, Kind: kind, Body: body, Until: now.Add(updatesKept)}
	})
	to.queue.Add(events...)
}

// hook returns the address of the updates; nil: none.
func (s settings) hook() *stage.Hook {
	if s.URL == "" {
		return nil
	}
	return &stage.Hook{
		URL: s.URL, Secret: s.Secret,
		Encode: func(events []stage.Event) []byte { return events[0].Body },
		Sign: func(_ []byte, secret string) (string, string) {
			return "X-Telegram-Bot-Api-Secret-Token", secret
		},
		// The first repetition is immediate.
		Pause: func(failures int) time.Duration {
			if failures == 1 {
				return 0
			}
			return min(time.Second<<min(failures-1, 10), longestPause)
		},
	}
}

// updates returns the updates from an offset on, and deletes those before it. A negative offset counts from the end.
func (a *api) updates(r stage.Request) stage.Response {
	name := r.Grant.Account
	set, err := a.allow(r)
	if set.URL != "" {
		return refuse(http.StatusConflict, hookActive)
	}
	if err != nil {
		return broken()
	}
	to := a.bots.of(name)
	offset, _ := strconv.ParseInt(r.Values.Get("offset"), 10, 64)
	if offset < 0 {
		all, _ := to.queue.Pull(0, int(^uint(0)>>1))
		if len(all) == 0 {
			offset = 0
		} else {
			offset = all[max(0, len(all)+int(offset))].ID
		}
	}
	events, err := to.wait(a.Stage, r, offset)
	if err != nil {
		return refuse(http.StatusConflict, err.Error())
	}
	return result(stage.Each(events, func(e stage.Event) json.RawMessage { return e.Body }))
}

// wait waits for updates as long as the call says. The error says which call ended it.
func (b *bot) wait(s *stage.Stage, r stage.Request, offset int64) ([]stage.Event, error) {
	limit := clamp(r.Values.Get("limit"), mostUpdates, 1, mostUpdates)
	events, changed := b.queue.Pull(offset, limit)
	seconds := clamp(r.Values.Get("timeout"), 0, 0, int(longestPoll/time.Second))
	if len(events) > 0 || seconds == 0 {
		return events, nil
	}
	ctx, stop := context.WithCancelCause(r.Context())
	defer stop(nil)
	b.interrupt(terminatedByOther, stop)
	timer := time.NewTimer(time.Duration(seconds) * time.Second)
	defer timer.Stop()
	for len(events) == 0 {
		select {
		case <-changed:
			events, changed = b.queue.Pull(offset, limit)
		case <-timer.C:
			return events, nil
		case <-s.Stopping():
			return events, nil
		case <-ctx.Done():
			if cause := context.Cause(ctx); !errors.Is(cause, context.Canceled) {
				return nil, cause
			}
			return events, nil
		}
	}
	return events, nil
}

// interrupt ends the call of getUpdates that waits, and remembers another one.
func (b *bot) interrupt(cause string, next context.CancelCauseFunc) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.poll != nil {
		b.poll(errors.New(cause))
	}
	b.poll = next
}

// allow stores the kinds of updates that a call names. They apply to later updates.
func (a *api) allow(r stage.Request) (settings, error) {
	set, _ := a.bots.settings.Get(r.Grant.Account)
	var kinds []string
	err := json.Unmarshal([]byte(r.Values.Get("allowed_updates")), &kinds)
	if err != nil || slices.Equal(kinds, set.Allowed) {
		return set, nil //nolint:nilerr // absent, or ignored as by Telegram
	}
	set.Bot, set.Allowed = r.Grant.Account, kinds
	return set, a.bots.settings.Keep(set)
}

var secretPattern = regexp.MustCompile(`^[A-Za-z0-9_-]*$`)

// setWebhook sets the address of the updates, which an empty one deletes.
func (a *api) setWebhook(r stage.Request) stage.Response {
	address, secret := r.Values.Get("url"), r.Values.Get("secret_token")
	if address == "" {
		return a.deleteWebhook(r)
	}
	bad := webhookAddress(address).
		Or(len(secret) > secretLongest, invalid("secret token is too long")).
		Or(!secretPattern.MatchString(secret), invalid("secret token contains unallowed characters"))
	if bad.Broken {
		return bad.Fault
	}
	set, err := a.allow(r)
	if err != nil {
		return broken()
	}
	was := set
	set.Bot, set.URL, set.Secret = r.Grant.Account, address, secret
	set.Connections = clamp(r.Values.Get("max_connections"), connectionsUsual, 1, connectionsMost)
	unchanged := was.URL == set.URL && was.Secret == set.Secret && was.Connections == set.Connections
	if unchanged && r.Values.Get("drop_pending_updates") != "true" {
		return described("Webhook is already set")
	}
	return a.hook(r, set, "Webhook was set")
}

// deleteWebhook deletes the address of the updates.
func (a *api) deleteWebhook(r stage.Request) stage.Response {
	set, _ := a.bots.settings.Get(r.Grant.Account)
	words := "Webhook was deleted"
	if set.URL == "" {
		words = "Webhook is already deleted"
	}
	set.Bot, set.URL, set.Secret, set.Connections = r.Grant.Account, "", "", 0
	return a.hook(r, set, words)
}

func (a *api) hook(r stage.Request, set settings, words string) stage.Response {
	if a.bots.settings.Keep(set) != nil {
		return broken()
	}
	to := a.bots.of(set.Bot)
	if r.Values.Get("drop_pending_updates") == "true" {
		to.queue.Clear()
	}
	if set.URL != "" {
		to.interrupt(terminatedByHook, nil)
	}
	to.queue.Push(set.hook())
	return described(words)
}

// webhookAddress refuses an address that Telegram does not call. The sandbox also calls plain addresses of the same machine
// or network.
func webhookAddress(text string) stage.Check {
	address, err := url.Parse(text)
	if err != nil || address.Host == "" {
		return stage.Refused(invalid("invalid webhook URL specified"))
	}
	host := address.Hostname()
	ip, err := netip.ParseAddr(host)
	near := !strings.Contains(host, ".") || err == nil && (ip.IsLoopback() || ip.IsPrivate())
	return stage.If(address.Scheme != "https" && (address.Scheme != "http" || !near),
		invalid("bad webhook: An HTTPS URL must be provided for webhook")).
		Or(!near && !slices.Contains([]string{"", "80", "88", "443", "8443"}, address.Port()),
			invalid("bad webhook: Webhook can be set up only on ports 80, 88, 443 or 8443"))
}

// webhookInfo describes the address of the updates.
func (a *api) webhookInfo(r stage.Request) stage.Response {
	set, _ := a.bots.settings.Get(r.Grant.Account)
	waiting, failed := a.bots.of(r.Grant.Account).queue.Len()
	shown := stage.Object{"url": set.URL, "has_custom_certificate": false, "pending_update_count": waiting}
	if set.URL != "" {
		shown["max_connections"] = set.Connections
	}
	if len(set.Allowed) > 0 {
		shown["allowed_updates"] = set.Allowed
	}
	if !failed.At.IsZero() {
		shown["last_error_date"], shown["last_error_message"] = failed.At.Unix(), failed.Error
		if failed.Status != 0 {
			shown["last_error_message"] = "Wrong response from the webhook: " + strconv.Itoa(failed.Status) + " " +
				http.StatusText(failed.Status)
		}
	}
	return result(shown)
}

// clamp returns a number in a parameter as Telegram reads it: the nearest possible one.
func clamp(text string, preset, least, most int) int {
	number, err := strconv.Atoi(text)
	if err != nil {
		return preset
	}
	return min(max(number, least), most)
}

func described(words string) stage.Response {
	return stage.OK(stage.Object{"ok": true, "result": true, "description": words})
}

// Clear deletes everything.
func (b *bots) Clear() error {
	b.close()
	return b.settings.Clear()
}

// Close stops the pushes.
func (b *bots) Close() error {
	b.close()
	return b.settings.Close()
}

func (b *bots) close() {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, one := range b.byName {
		one.queue.Close()
		one.queue.Clear()
	}
}

package tally

import (
	"strings"
	"sync"
)

// signs are parts of the User-Agent of programs that read pages by themselves, in lower case: crawlers, previews of links,
// monitors, libraries, browsers without a screen.
func signs() []string {
	return []string{
		"bot", "crawl", "spider", "slurp", "scrape", "fetch", "preview", "monitor", "uptime", "pingdom", "checker", "validator", "archiver",
		"facebookexternalhit", "facebookcatalog", "meta-external", "whatsapp", "telegram", "slack", "discord", "skypeuri", "snapchat", "pinterest/",
		"vkshare", "embedly", "quora link", "outbrain", "w3c_", "google-", "googleother", "apis-google", "mediapartners", "feedfetcher", "bingpreview",
		"yandex", "baidu", "petalbot", "ahrefs", "semrush", "mj12", "dataforseo", "bytespider", "gptbot", "chatgpt", "oai-search", "claude", "anthropic",
		"perplexity", "cohere", "ccbot", "headless", "phantomjs", "lighthouse", "pagespeed", "gtmetrix", "puppeteer", "playwright", "selenium", "webdriver",
		"curl/", "wget/", "python", "aiohttp", "httpx", "java/", "okhttp", "apache-http", "go-http-client", "node-fetch", "axios", "undici", "libwww",
		"perl", "ruby", "php/", "guzzle", "postman", "insomnia", "httpie", "restsharp", "winhttp", "scrapy",
	}
}

// Agents tells programs from people. It is safe for concurrent use.
type Agents struct {
	signs [256][]string // by their first byte, so that one walk along a User-Agent finds each

	mu    sync.RWMutex
	known map[string]bool // which User-Agents are those of programs: most visitors bring one of a few hundred
}

// NewAgents makes a table of what is known of programs.
func NewAgents() *Agents {
	a := &Agents{known: map[string]bool{}}
	for _, sign := range signs() {
		a.signs[sign[0]] = append(a.signs[sign[0]], sign)
	}
	return a
}

const (
	// maxAgent bounds how far a User-Agent is read; those of browsers are a third as long.
	maxAgent = 1024
	// maxKnown bounds what is remembered; when it is full it starts anew.
	maxKnown = 2000
)

// IsBot tells programs from people by what they say of themselves, and by what every browser sends and they leave out: complete
// says that a request has it (Accept, Accept-Language).
func (a *Agents) IsBot(userAgent string, complete bool) bool {
	if !complete {
		return true
	}
	userAgent = userAgent[:min(len(userAgent), maxAgent)]
	a.mu.RLock()
	bot, known := a.known[userAgent]
	a.mu.RUnlock()
	if known {
		return bot
	}
	bot = a.looksLikeBot(strings.ToLower(userAgent))
	a.mu.Lock()
	defer a.mu.Unlock()
	if len(a.known) >= maxKnown {
		clear(a.known)
	}
	a.known[userAgent] = bot
	return bot
}

func (a *Agents) looksLikeBot(agent string) bool {
	if !strings.HasPrefix(agent, "mozilla/") && !strings.HasPrefix(agent, "opera/") {
		return true // every browser begins so, since 1994 or since 1996
	}
	for i := range len(agent) {
		for _, sign := range a.signs[agent[i]] {
			if strings.HasPrefix(agent[i:], sign) && !inApp(agent, sign) {
				return true
			}
		}
	}
	return false
}

// inApp tells browsers within apps, which people look through, from the programs of the same companies.
func inApp(agent, sign string) bool {
	switch sign {
	case "telegram", "slack", "discord", "snapchat", "whatsapp", "pinterest/":
		return (strings.Contains(agent, "iphone") || strings.Contains(agent, "android")) && !strings.Contains(agent, "bot")
	case "bot":
		return strings.Contains(agent, "cubot") // phones of that name
	default:
		return false
	}
}

// IsPrefetch reports whether a browser fetches the page in case somebody wants to see it: purpose is what the request says in
// Sec-Purpose, Purpose, X-Purpose or X-Moz.
func IsPrefetch(purpose string) bool {
	if purpose == "" {
		return false
	}
	purpose = strings.ToLower(purpose)
	return strings.Contains(purpose, "prefetch") || strings.Contains(purpose, "preview") || strings.Contains(purpose, "prerender")
}

package tally

import (
	"strings"

	"github.com/hashicorp/golang-lru/v2/expirable"
)

// signs returns substrings, in lower case, of the User-Agent of automated clients: crawlers, link previews, monitors,
// libraries and headless browsers.
func signs() []string {
	return []string{
		"bot", "crawl", "spider", "slurp", "scrape", "fetch", "preview", "monitor", "uptime", "pingdom", "checker",
		"validator", "archiver",
		"facebookexternalhit", "facebookcatalog", "meta-external", "whatsapp", "telegram", "slack", "discord", "skypeuri",
		"snapchat", "pinterest/",
		"vkshare", "embedly", "quora link", "outbrain", "w3c_", "google-", "googleother", "apis-google", "mediapartners",
		"feedfetcher", "bingpreview",
		"yandex", "baidu", "petalbot", "ahrefs", "semrush", "mj12", "dataforseo", "bytespider", "gptbot", "chatgpt",
		"oai-search", "claude", "anthropic",
		"perplexity", "cohere", "ccbot", "headless", "phantomjs", "lighthouse", "pagespeed", "gtmetrix", "puppeteer",
		"playwright", "selenium", "webdriver",
		"curl/", "wget/", "python", "aiohttp", "httpx", "java/", "okhttp", "apache-http", "go-http-client", "node-fetch",
		"axios", "undici", "libwww",
		"perl", "ruby", "php/", "guzzle", "postman", "insomnia", "httpie", "restsharp", "winhttp", "scrapy",
	}
}

// Agents distinguishes bots from people. It is safe for concurrent use.
type Agents struct {
	signs [256][]string // by first byte, so that one pass over a User-Agent finds every sign

	known *expirable.LRU[string, bool] // whether a User-Agent is a bot's: most visitors send one of a few hundred
}

// NewAgents returns an empty cache with the known signs.
func NewAgents() *Agents {
	a := &Agents{known: expirable.NewLRU[string, bool](maxKnown, nil, 0)}
	for _, sign := range signs() {
		a.signs[sign[0]] = append(a.signs[sign[0]], sign)
	}
	return a
}

const (
	// maxAgent bounds how much of a User-Agent is read. Those of browsers are a third as long.
	maxAgent = 1024
	// maxKnown bounds the cache. The entries used last stay.
	maxKnown = 2000
)

// IsBot reports whether a request comes from a bot, by its User-Agent and by headers that every browser sends and bots
// omit: complete reports whether the request has them (Accept, Accept-Language).
func (a *Agents) IsBot(userAgent string, complete bool) bool {
	if !complete {
		return true
	}
	userAgent = userAgent[:min(len(userAgent), maxAgent)]
	bot, known := a.known.Get(userAgent)
	if !known {
		bot = a.looksLikeBot(strings.ToLower(userAgent))
		a.known.Add(userAgent, bot)
	}
	return bot
}

func (a *Agents) looksLikeBot(agent string) bool {
	if !strings.HasPrefix(agent, "mozilla/") && !strings.HasPrefix(agent, "opera/") {
		return true // every browser's User-Agent starts so, since 1994 or since 1996
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

// inApp reports whether a sign belongs to a browser within an app, which people use, rather than to a bot of the same
// company.
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

// IsPrefetch reports whether a browser fetches the page before the user opens it. The purpose is the value of
// Sec-Purpose, Purpose, X-Purpose or X-Moz.
func IsPrefetch(purpose string) bool {
	if purpose == "" {
		return false
	}
	purpose = strings.ToLower(purpose)
	return strings.Contains(purpose, "prefetch") || strings.Contains(purpose, "preview") ||
		strings.Contains(purpose, "prerender")
}

package tally

import (
	"net/http"
	"strings"
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

// IsBot tells programs from people by what they say of themselves, and by what every browser sends and they leave out.
func IsBot(header http.Header) bool {
	agent := strings.ToLower(header.Get("User-Agent"))
	if !strings.HasPrefix(agent, "mozilla/") && !strings.HasPrefix(agent, "opera/") {
		return true // every browser begins so, since 1994 or since 1996
	}
	for _, sign := range signs() {
		if strings.Contains(agent, sign) && !inApp(agent, sign) {
			return true
		}
	}
	return header.Get("Accept-Language") == "" || header.Get("Accept") == ""
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

// IsPrefetch reports whether a browser fetches the page in case somebody wants to see it.
func IsPrefetch(header http.Header) bool {
	for _, name := range []string{"Sec-Purpose", "Purpose", "X-Purpose", "X-Moz"} {
		value := strings.ToLower(header.Get(name))
		if strings.Contains(value, "prefetch") || strings.Contains(value, "preview") || strings.Contains(value, "prerender") {
			return true
		}
	}
	return false
}

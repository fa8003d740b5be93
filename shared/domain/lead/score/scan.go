package score

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// scan returns the mail addresses and telephone numbers, the links and the amounts of money in a text.
func scan(f folded) (contacts, links, amounts []Span) {
	text := f.text
	for at := 0; at < len(text); {
		end := len(text)
		if space := strings.IndexFunc(text[at:], unicode.IsSpace); space >= 0 {
			end = at + space
		}
		if end == at {
			_, size := utf8.DecodeRuneInString(text[at:])
			at += size
			continue
		}
		word := text[at:end]
		if from, to := address(word); to > 0 {
			contacts = append(contacts, f.original(at+from, at+to))
		}
		if from := link(word); from >= 0 {
			links = append(links, f.original(at+from, end))
		}
		at = end
	}
	for at := 0; at < len(text); {
		if c := text[at]; !digit(c) && c != '+' && c != '(' {
			at++
			continue
		}
		end, digits := number(text, at)
		switch {
		case digits == 0:
		case within(f.original(at, end), links):
		case telephone(text[at:end], digits):
			contacts = append(contacts, f.original(at, end))
		default:
			if from, to, is := money(text, at, end); is {
				amounts = append(amounts, f.original(from, to))
			}
		}
		at = max(end, at+1)
	}
	return contacts, links, amounts
}

func digit(c byte) bool { return '0' <= c && c <= '9' }

// number returns the end of a group of digits with the marks between them, and the count of the digits.
func number(text string, at int) (end, digits int) {
	end = at
	for i := at; i < len(text) && i-end < 3; i++ { // at most two marks between digits
		switch c := text[i]; {
		case digit(c):
			digits++
			end = i + 1
		case strings.IndexByte(" +-.,/()", c) < 0:
			return end, digits
		}
	}
	return end, digits
}

// telephone reports whether digits with marks are a telephone number. Long numbers without a mark or a zero in front are
// those of orders and parcels, except mobile numbers of China.
func telephone(text string, digits int) bool {
	const least, most, chinese = 9, 15, 11
	if digits < least || digits > most {
		return false
	}
	return strings.ContainsAny(text[:1], "+0(") || strings.ContainsAny(text, " -.()/") && !strings.Contains(text, ",") ||
		digits == chinese && text[0] == '1'
}

// currencies are written in front of or behind an amount, in folded form.
var currencies = []string{
	"eur", "euro", "euros", "usd", "gbp", "chf", "dollar", "dollars", "bucks", "pounds", "tl", "try", "lira", "r$", "reais", "real", "pesos",
	"mxn", "rub", "руб", "рублей", "рубля", "евро", "rp", "rb", "ribu", "juta", "rupiah", "jpy", "cny", "rmb", "aed", "sar", "egp",
	"円", "万円", "元", "块", "塊", "ريال", "درهم", "جنيه", "دولار", "يورو",
}

// money returns the amount whose digits are given, with its currency; false: it has none.
func money(text string, at, end int) (from, to int, is bool) {
	before := strings.TrimRight(text[:at], " ")
	if r, size := utf8.DecodeLastRuneInString(before); unicode.Is(unicode.Sc, r) {
		return len(before) - size, end, true
	}
	after := end + len(text[end:]) - len(strings.TrimLeft(text[end:], " "))
	if r, size := utf8.DecodeRuneInString(text[after:]); unicode.Is(unicode.Sc, r) {
		return at, after + size, true
	}
	for _, c := range currencies {
		if from := len(before) - len(c); strings.HasSuffix(before, c) && boundary(text, from) {
			return from, end, true
		}
		if to := after + len(c); strings.HasPrefix(text[after:], c) && boundary(text, to) {
			return at, to, true
		}
	}
	return 0, 0, false
}

// address returns where a mail address is in a word without spaces; zero: it has none.
func address(word string) (from, to int) {
	at := strings.IndexByte(word, '@')
	if at <= 0 {
		return 0, 0
	}
	part := func(r rune) bool {
		return r < utf8.RuneSelf && (unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune("._%+-", r))
	}
	from, to = at, at+1
	for from > 0 && part(rune(word[from-1])) {
		from--
	}
	for to < len(word) && part(rune(word[to])) {
		to++
	}
	domain := strings.TrimRight(word[at+1:to], ".-")
	if dot := strings.LastIndexByte(domain, '.'); from == at || dot <= 0 || len(domain)-dot < 3 {
		return 0, 0
	}
	return from, at + 1 + len(domain)
}

// link returns where an address of the web begins in a word; -1: it has none.
func link(word string) int {
	for _, start := range []string{"https://", "http://", "www.", "t.me/", "bit.ly/"} {
		if at := strings.Index(word, start); at >= 0 {
			return at
		}
	}
	return -1
}

func within(s Span, spans []Span) bool { return len(outside([]Span{s}, spans)) == 0 }

// onlyLinks reports whether a text has no letters but those of links.
func onlyLinks(text string, links []Span) bool {
	end := 0
	for _, l := range links {
		if strings.ContainsFunc(text[end:l.Start], unicode.IsLetter) {
			return false
		}
		end = l.End
	}
	return !strings.ContainsFunc(text[end:], unicode.IsLetter)
}

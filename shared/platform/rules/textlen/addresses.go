package textlen

import (
	"slices"
	"strings"
	"unicode"
)

// Addresses returns the links of the text that have a protocol, each with the whole address that its author wrote: up to
// the next white space or quotation mark, without the punctuation of the sentence, and with brackets that are closed.
// It is for targets, and for networks that publish no grammar of their own.
func Addresses(text string) []Link { return withProtocol(text, links(text, whole)) }

// Hosts returns the links of the text as Addresses does, and those without a protocol.
func Hosts(text string) []Link { return links(text, whole) }

// ThreadsLinks returns the links that Threads counts: addresses with a protocol, and those that begin with www.
// (developers.facebook.com/documentation/threads/create-posts/text-attachments).
func ThreadsLinks(text string) []Link {
	return slices.DeleteFunc(links(text, whole), func(link Link) bool {
		address := strings.ToLower(text[link.Start:link.End])
		return protocolAt(address) == 0 && !strings.HasPrefix(address, "www.")
	})
}

func whole(_, rest string, _ bool) int {
	port := portAt(rest)
	return port + addressEnd(rest[port:])
}

// FirstURL returns the first address of the text that has a protocol. It returns an empty string if there is none.
func FirstURL(text string) string {
	for _, link := range Addresses(text) {
		return text[link.Start:link.End]
	}
	return ""
}

func withProtocol(text string, links []Link) []Link {
	kept := links[:0]
	for _, link := range links {
		if protocolAt(text[link.Start:link.End]) > 0 {
			kept = append(kept, link)
		}
	}
	return kept
}

// addressEnd returns the length of the path, the query and the fragment.
func addressEnd(text string) int {
	if text == "" || !strings.ContainsRune("/?#", rune(text[0])) {
		return 0
	}
	end := len(text)
	var open []int // the offsets of brackets that are not closed yet
scan:
	for at, r := range text {
		switch {
		case unicode.IsSpace(r), unicode.IsControl(r), strings.ContainsRune(`<>"`, r), r == unicode.ReplacementChar:
			end = at
			break scan
		case unicode.Is(unicode.Ps, r):
			open = append(open, at)
		case unicode.Is(unicode.Pe, r) && len(open) == 0:
			end = at
			break scan
		case unicode.Is(unicode.Pe, r):
			open = open[:len(open)-1]
		}
	}
	if len(open) > 0 {
		end = open[0]
	}
	return len(strings.TrimRightFunc(text[:end], endsSentence))
}

func endsSentence(r rune) bool {
	return strings.ContainsRune(".,;:!?'*~…。、，．！？：；・’”»", r)
}

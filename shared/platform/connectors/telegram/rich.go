package telegram

import (
	"strings"

	"fencepost.internal/shared/platform/rules/textlen"
)

const (
	longestMessage = 4_096  // UTF-16 units of sendMessage
	longestRich    = 32_768 // characters of sendRichMessage (Bot API 10.1)
	mostBlocks     = 500
)

// richMessage is a long text (core.telegram.org/bots/api#inputrichmessage). Its blocks are plain text: no character of
// the author is markup.
type richMessage struct {
	Blocks []richBlock `json:"blocks"`
}

type richBlock struct {
	Type string `json:"type"`
	Text string `json:"text"`
}

// richOf returns a text that is too long for a message as a rich message, a block for each paragraph; nil for others.
func richOf(text string) *richMessage {
	if textlen.UTF16(text) <= longestMessage {
		return nil
	}
	rich := &richMessage{}
	for _, paragraph := range strings.SplitN(strings.Trim(text, "\n"), "\n\n", mostBlocks) {
		if paragraph = strings.Trim(paragraph, "\n"); strings.TrimSpace(paragraph) != "" { // Telegram refuses an empty block
			rich.Blocks = append(rich.Blocks, richBlock{Type: "paragraph", Text: paragraph})
		}
	}
	return rich
}

package threads

import (
	"encoding/json"
	"net/url"
	"strings"
	"unicode"
	"unicode/utf8"

	"fencepost.internal/shared/platform"
	"fencepost.internal/shared/platform/rules/textlen"
)

const (
	// textLimit is the longest text of a post, as Threads counts.
	textLimit = 500
	// opening limits the beginning of a long text that the post shows, in bytes. It is below textLimit by any count.
	opening = 480
)

// textual returns the parameters of a post without media. A long text is attached as a whole, and the post shows its
// beginning (developers.facebook.com/documentation/threads/create-posts/text-attachments).
func textual(content platform.Content) url.Values {
	form := url.Values{"media_type": {"TEXT"}, "text": {shown(content)}}
	if isLong(content) {
		attached, _ := json.Marshal(map[string]string{"plaintext": content.Text}) // only strings: cannot fail
		form.Set("text_attachment", string(attached))
	}
	if choices := content.Options.PollOptions; len(choices) > 0 {
		form.Set("poll_attachment", pollOf(choices))
	}
	if content.Options.Link != "" {
		form.Set("link_attachment", content.Options.Link)
	}
	return withSettings(form, content.Options)
}

// isLong reports whether the text is attached to the post.
func isLong(content platform.Content) bool {
	requested := content.Options.LongText != nil && *content.Options.LongText
	return requested && len(content.Media) == 0 && textlen.Threads(content.Text) > textLimit
}

// shown returns the text of the post itself. A long text ends between two words, if there are any.
func shown(content platform.Content) string {
	if !isLong(content) {
		return content.Text
	}
	end := opening
	for !utf8.RuneStart(content.Text[end]) {
		end--
	}
	text := content.Text[:end]
	if space := strings.LastIndexFunc(text, unicode.IsSpace); space > opening/2 {
		text = text[:space]
	}
	return strings.TrimRightFunc(text, unicode.IsSpace) + "…"
}

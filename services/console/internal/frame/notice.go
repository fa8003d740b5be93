package frame

import (
	"cmp"
	"crypto/hmac"
	"encoding/base64"
	"strings"
	"time"
)

// noticeLife bounds how long the confirmation of an action waits for the next page.
const noticeLife = time.Minute

// Notice confirms an action on the next page. A text of several lines stays until the visitor closes it.
type Notice struct {
	Text string
	// Undo is the field of the form of the posts' section that takes the action back, in base64url; empty: nothing does.
	Undo string
}

// longestNotice is the number of bytes of a text that fits a cookie.
const longestNotice = 2200

// Done redirects after a successful action, and confirms it on the next page.
func (v *Visit) Done(path, notice string) error { return v.DoneWith(path, Notice{Text: notice}) }

// DoneWith is Done for an action that can be taken back.
func (v *Visit) DoneWith(path string, n Notice) error {
	if len(n.Text) > longestNotice {
		n.Text = strings.ToValidUTF8(n.Text[:longestNotice], "") + "…"
	}
	for name, text := range map[string]string{
		"notice": base64.RawURLEncoding.EncodeToString([]byte(n.Text)), "undo": n.Undo,
	} {
		if text != "" {
			v.setCookie(name, text+"."+v.sign(name+text), noticeLife)
		}
	}
	v.Redirect(path)
	return nil
}

// Back returns the page from which a form came: that of a path within the workspace, with the query that it had.
func (v *Visit) Back(within string) string {
	start := v.Path(within)
	if from := cmp.Or(v.Form("back"), v.Query("back")); from == start || strings.HasPrefix(from, start+"?") {
		return from
	}
	return start
}

// notice returns the confirmation of the last action, once.
func (v *Visit) notice() Notice {
	raw, err := base64.RawURLEncoding.DecodeString(v.once("notice"))
	if err != nil {
		return Notice{}
	}
	return Notice{Text: string(raw), Undo: v.once("undo")}
}

// once returns the value of a cookie that this application wrote for the browser, and deletes it.
func (v *Visit) once(name string) string {
	cookie, err := v.Request.Cookie(v.frame.cookieName(name))
	if err != nil || v.session == "" {
		return ""
	}
	v.setCookie(name, "", -time.Second)
	text, signature, _ := strings.Cut(cookie.Value, ".")
	if !hmac.Equal([]byte(signature), []byte(v.sign(name+text))) {
		return ""
	}
	return text
}

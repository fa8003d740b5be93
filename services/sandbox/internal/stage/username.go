package stage

import (
	"strconv"
	"strings"
)

// Username is the name of an account: the account itself when it can be one.
func Username(account string) string {
	if _, err := strconv.ParseUint(account, 10, 64); err == nil {
		return "user" + account
	}
	return strings.TrimPrefix(account, "@")
}

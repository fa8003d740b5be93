package stage

import (
	"strconv"
	"strings"
)

// Username returns the user name of an account: the account without a leading @. A numeric account gets the prefix
// "user".
func Username(account string) string {
	if _, err := strconv.ParseUint(account, 10, 64); err == nil {
		return "user" + account
	}
	return strings.TrimPrefix(account, "@")
}

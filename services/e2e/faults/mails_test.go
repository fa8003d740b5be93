package faults_test

import (
	"fmt"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fencepost.internal/services/e2e/faults/lab"
	"fencepost.internal/services/e2e/harness"
)

// TestF67TheMailServerIsStopped requests mails while the mail server is stopped, kills the workers at every step of
// their sending, and starts the mail server again.
func TestF67TheMailServerIsStopped(t *testing.T) {
	l := lab.Begin(t, lab.Fault{
		ID: "F67", Title: "The mail server is stopped while people request mails; workers die before and after they send",
		Expect: "every mail arrives; a mail that arrives twice has the same Message-ID; no secret in Temporal",
	})
	l.Run(2)
	l.Start("console", "").Ready()
	server := l.StartMailServer()
	server.Stop()
	l.Injected("the mail server stopped")
	const mails = 6
	var addresses []string
	for i := range mails {
		address := fmt.Sprintf("person%d@example.com", i)
		require.NoError(t, l.NewPerson(address).ForgetPassword(t.Context()))
		addresses = append(addresses, address)
	}
	require.EventuallyWithT(t, func(c *assert.CollectT) {
		require.Equal(c, []string{strconv.Itoa(mails)}, l.Query(t, `SELECT count(*) FROM mail WHERE tries > 0`))
	}, recovery, 200*time.Millisecond)
	l.Arm(append(lab.Kills("mailing.before_send", 1), lab.Kills("mailing.after_send", 2)...)...)
	server.Again()
	l.Healed()
	l.WaitFired("mailing.before_send", reached)
	l.WaitFiredTimes("mailing.after_send", 2, 3*recovery)
	l.Disarm()
	require.EventuallyWithT(t, func(c *assert.CollectT) {
		require.Equal(c, []string{"0"}, l.Query(t, `SELECT count(*) FROM mail`))
	}, 3*recovery, 200*time.Millisecond)
	twice := 0
	for _, address := range addresses {
		twice += arrivals(t, server, address) - 1
	}
	require.Positive(t, twice, "a worker died after it had sent a mail")
	l.Check()
}

// arrivals returns how often the one mail to an address arrived.
func arrivals(t *testing.T, server *harness.MailServer, address string) int {
	t.Helper()
	found := server.Mails(t, address)
	require.NotEmpty(t, found, "the mail to %s is lost", address)
	for _, m := range found {
		require.Equal(t, found[0].MessageID, m.MessageID)
		require.Equal(t, found[0].Links, m.Links)
	}
	return len(found)
}

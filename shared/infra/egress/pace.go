package egress

import "time"

// pace ends a transfer that is too slow. It measures only the sender: only the time during which a read waits counts,
// not the processing between reads.
//
// It keeps a time balance, which starts at the slack and never exceeds it. Waiting spends it, and every byte earns the
// time that it may take at the minimum rate. When the balance is spent, the transfer is stalled. So over any period of
// waiting longer than the slack, the rate was at least the minimum rate, apart from the slack. A fast start does not
// allow a long pause later, and a server that sends nothing is dropped after the slack.
type pace struct {
	rate    int64 // bytes per second
	slack   time.Duration
	balance time.Duration
	since   time.Time
	timer   *time.Timer
}

func newPace(rate int64, slack time.Duration, stalled func()) *pace {
	timer := time.AfterFunc(slack, stalled)
	timer.Stop()

	return &pace{rate: rate, slack: slack, balance: slack, timer: timer}
}

// wait starts the measurement of a read.
func (p *pace) wait() {
	p.since = time.Now()
	p.timer.Reset(p.balance)
}

// got ends the measurement of a read that returned the given number of bytes.
func (p *pace) got(bytes int) {
	p.timer.Stop()

	earned := time.Duration(int64(bytes) * int64(time.Second) / p.rate)
	p.balance = min(p.balance-time.Since(p.since)+earned, p.slack)
}

// stop ends the measurement for good.
func (p *pace) stop() { p.timer.Stop() }

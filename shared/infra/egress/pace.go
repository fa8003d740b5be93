package egress

import "time"

// pace ends a transfer that is too slow. It measures the other side alone: only the time in which a read waits counts, not
// what is done with the bytes in between.
//
// It keeps a balance of time. The balance begins at the slack; waiting spends it, every byte earns the time that it may take
// at the least rate, and it never exceeds the slack. When it is spent, the transfer is stalled. So over any stretch of
// waiting that is longer than the slack, the rate was at least the least rate behind the slack; a quick beginning buys no
// silence later; and a server that sends nothing is left after the slack.
type pace struct {
	rate    int64 // bytes a second
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

// wait begins a read.
func (p *pace) wait() {
	p.since = time.Now()
	p.timer.Reset(p.balance)
}

// got ends it.
func (p *pace) got(bytes int) {
	p.timer.Stop()

	earned := time.Duration(int64(bytes) * int64(time.Second) / p.rate)
	p.balance = min(p.balance-time.Since(p.since)+earned, p.slack)
}

// stop is for good.
func (p *pace) stop() { p.timer.Stop() }

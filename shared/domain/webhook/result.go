package webhook

// Position is the position of a delivery when the result of one of its attempts is recorded. Other transactions may
// have moved the delivery during the request.
type Position string

// The positions of a delivery.
const (
	PositionOpen      Position = "OPEN"      // it waits for the result of this attempt
	PositionQueued    Position = "QUEUED"    // a replay or a sweep has queued it again
	PositionSucceeded Position = "SUCCEEDED" // another attempt succeeded
	PositionExhausted Position = "FAILED"
	PositionCancelled Position = "CANCELLED"
	PositionSkipped   Position = "SKIPPED"
)

// Positions lists every position.
func Positions() []Position {
	return []Position{
		PositionOpen, PositionQueued, PositionSucceeded, PositionExhausted, PositionCancelled, PositionSkipped,
	}
}

// Result is the result of an attempt.
type Result string

// The results of an attempt.
const (
	ResultSucceeded Result = "succeeded"
	ResultRetry     Result = "retry"     // it failed, and a retry is left
	ResultExhausted Result = "exhausted" // it failed, and no retry is left
	ResultRefused   Result = "refused"   // a requested redelivery failed, which has no retries
)

// Results lists every result.
func Results() []Result {
	return []Result{ResultSucceeded, ResultRetry, ResultExhausted, ResultRefused}
}

// ResultTransition is one row of the table of results.
type ResultTransition struct {
	From   Position
	Result Result
	To     State
	// Repeated allows the transition even if an earlier result of the same attempt was recorded. Overlapping executions
	// of one attempt have different results if the receiver accepts the event once. Success is certain.
	Repeated bool
}

// ResultTransitions returns the table of results. A result that is not in it is added to the delivery's attempts and
// changes nothing else. A success counts in every position; a failure only ends or delays a delivery that waits for it.
func ResultTransitions() []ResultTransition {
	return []ResultTransition{
		{PositionOpen, ResultSucceeded, Succeeded, true},
		{PositionQueued, ResultSucceeded, Succeeded, true},
		{PositionExhausted, ResultSucceeded, Succeeded, true},
		{PositionCancelled, ResultSucceeded, Succeeded, true},
		{PositionSkipped, ResultSucceeded, Succeeded, true},
		{PositionOpen, ResultRetry, Pending, false},
		{PositionOpen, ResultExhausted, Exhausted, false},
	}
}

// PositionsBefore returns the positions that the result changes and the state that it leads to. Every row of the table
// with the result has the same state. If repeated is true, it returns only the rows that allow a repeated result.
func PositionsBefore(result Result, repeated bool) (positions []Position, to State) {
	for _, t := range ResultTransitions() {
		if t.Result != result {
			continue
		}
		to = t.To
		if t.Repeated || !repeated {
			positions = append(positions, t.From)
		}
	}
	return positions, to
}

// ResultOf returns the result of an attempt that leads to the state, which is Pending, Succeeded or Exhausted.
func ResultOf(state State, redelivery bool) Result {
	switch {
	case state == Succeeded:
		return ResultSucceeded
	case redelivery:
		return ResultRefused
	case state == Pending:
		return ResultRetry
	default:
		return ResultExhausted
	}
}

// EndpointEffect is the effect of a result on the endpoint.
type EndpointEffect struct {
	Failing bool // the endpoint gets one place instead of MaxInFlight
	Reset   bool // the failure counter becomes 0
	Counts  bool // the failure counter grows by 1; at DisableAfter the endpoint is disabled
}

// Effect returns the effect of a result on the endpoint. Only exhausted deliveries of events count towards disabling:
// a user watches tests and redeliveries. An exempt delivery, a test or one that failed in an outage of this service,
// does not count.
func (r Result) Effect(exempt bool) EndpointEffect {
	succeeded := r == ResultSucceeded
	return EndpointEffect{Failing: !succeeded, Reset: succeeded, Counts: r == ResultExhausted && !exempt}
}

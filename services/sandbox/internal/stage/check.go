package stage

// Check is the result of a check of a request: broken with the response that refuses it, or zero.
type Check = Rule[Response]

// Refused returns a check that refuses a request.
func Refused(response Response) Check { return If(true, response) }

// Also adds the conditions of another rule.
func (r Rule[T]) Also(next Rule[T]) Rule[T] { return r.Or(next.Broken, next.Fault) }

package stage

// Check is the result of a check of a request: broken with the response that refuses it, or zero.
type Check = Rule[Response]

// Refused returns a check that refuses a request.
func Refused(response Response) Check { return If(true, response) }

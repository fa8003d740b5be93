package httpcall

// Stream is a request's body as the transport reads it.
type Stream = stream

// OpenStream opens the request's body.
func OpenStream(request Request) (*Stream, error) {
	body, err := request.streamed()
	if err != nil {
		return nil, err
	}
	return body.open()
}

// Because exports because.
var Because = because

// Finish exports finish.
var Finish = (*stream).finish

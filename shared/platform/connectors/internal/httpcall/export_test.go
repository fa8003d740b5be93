package httpcall

// Stream is the body of a request as the transport reads it.
type Stream = stream

// OpenStream opens the request's body.
func OpenStream(request Request) (*Stream, error) {
	body, err := request.streamed()
	if err != nil {
		return nil, err
	}
	return body.open()
}

// Because is because.
var Because = because

// Finish is finish.
var Finish = (*stream).finish

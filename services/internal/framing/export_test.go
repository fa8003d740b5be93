package framing

// Whole returns the length of the complete requests in text, which must contain only valid requests.
func Whole(text []byte) int {
	var s scanner
	end := 0
	for i := range text {
		if _, v := s.scan(text[i : i+1 : i+1]); v != nil {
			return end
		}
		if s.state == inRequestLine && len(s.begun) == 0 {
			end = i + 1
		}
	}
	return end
}

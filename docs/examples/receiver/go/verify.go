package main

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Tolerance is the maximum difference between a signature's time and the current time. Older signatures are replays.
const Tolerance = 300 * time.Second

// ErrSignature is returned by Verify for a delivery that is not genuine.
var ErrSignature = errors.New("the signature does not match")

// Verify accepts a body that is signed with the secret at a time close to now. The header, X-Service-Signature, is
// t=<unix seconds>,v1=<hex>. While a secret is being rotated there are several v1 values, of which one must match.
func Verify(header string, body []byte, secret string, now time.Time) error {
	var times, signatures []string
	for _, part := range strings.Split(header, ",") {
		name, value, _ := strings.Cut(part, "=")
		switch name {
		case "t":
			times = append(times, value)
		case "v1":
			signatures = append(signatures, value)
		}
	}
	if len(times) != 1 {
		return ErrSignature
	}
	seconds, err := strconv.ParseInt(times[0], 10, 64)
	if err != nil {
		return ErrSignature
	}
	if age := now.Sub(time.Unix(seconds, 0)).Abs(); age > Tolerance {
		return fmt.Errorf("%w: its time is %s away", ErrSignature, age.Round(time.Second))
	}
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write([]byte(times[0] + "."))
	mac.Write(body)
	expected := []byte(hex.EncodeToString(mac.Sum(nil)))
	for _, signature := range signatures {
		if hmac.Equal([]byte(signature), expected) { // in constant time
			return nil
		}
	}
	return ErrSignature
}

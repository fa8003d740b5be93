package credential

import (
	"crypto/rand"
	"crypto/sha256"
	"hash/crc32"
	"math/big"
	"strings"
)

const alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

// ChecksumLength is the length of Checksum's result: 62⁶ is more than 2³².
const ChecksumLength = 6

// DigestLength is the length of DigestText's result: 62⁴³ is more than 2²⁵⁶.
const DigestLength = 43

// unbiased is the largest multiple of 62 that fits in a byte's range. RandomText discards bytes from there on, so that
// every character is equally likely.
const unbiased = 256 / len(alphabet) * len(alphabet)

// RandomText returns n independent characters from the system's secure source, with 5.95 bits of entropy each.
func RandomText(n int) string {
	text := make([]byte, 0, max(n, 0))
	buffer := make([]byte, 64)

	for len(text) < n {
		_, _ = rand.Read(buffer) // never fails: it ends the program instead

		for _, drawn := range buffer {
			if int(drawn) < unbiased && len(text) < n {
				text = append(text, alphabet[int(drawn)%len(alphabet)])
			}
		}
	}

	return string(text)
}

// Checksum returns the CRC-32 (IEEE) of a text as 6 characters, most significant first. It detects mistakes, not
// forgery.
func Checksum(text string) string {
	sum := crc32.ChecksumIEEE([]byte(text))
	encoded := make([]byte, ChecksumLength)

	for i := range ChecksumLength {
		encoded[ChecksumLength-1-i] = alphabet[sum%uint32(len(alphabet))]
		sum /= uint32(len(alphabet))
	}

	return string(encoded)
}

// DigestText encodes a digest as 43 characters.
func DigestText(sum [sha256.Size]byte) string {
	text := new(big.Int).SetBytes(sum[:]).Text(len(alphabet))
	return strings.Repeat("0", DigestLength-len(text)) + text
}

// IsText reports whether a text contains only characters of the alphabet. It returns true for the empty text.
func IsText(text string) bool {
	for i := range len(text) {
		c := text[i]
		if (c < '0' || c > '9') && (c < 'A' || c > 'Z') && (c < 'a' || c > 'z') {
			return false
		}
	}

	return true
}

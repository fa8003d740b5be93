// Package base62 has the parts of credentials in letters and digits: random text that needs no escaping
// anywhere and is selected by one double click, and a checksum by which a scanner or a server tells a
// credential from a typing mistake without a look-up.
package base62

import (
	"crypto/rand"
	"crypto/sha256"
	"hash/crc32"
	"math/big"
	"strings"
)

const alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

// ChecksumLength is the length of what Checksum returns: 62⁶ is more than 2³².
const ChecksumLength = 6

// DigestLength is the length of what Digest returns: 62⁴³ is more than 2²⁵⁶.
const DigestLength = 43

// unbiased is the largest multiple of 62 that a byte can count to. Bytes from there on are drawn again, so
// that every character is equally likely.
const unbiased = 256 / len(alphabet) * len(alphabet)

// Random returns n independent characters from the system's secure source, each worth 5.95 bits.
func Random(n int) string {
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

// Checksum returns the CRC-32 (IEEE) of a text as 6 characters, most significant first. It guards against
// mistakes, not against forgery.
func Checksum(text string) string {
	sum := crc32.ChecksumIEEE([]byte(text))
	encoded := make([]byte, ChecksumLength)

	for i := range ChecksumLength {
		encoded[ChecksumLength-1-i] = alphabet[sum%uint32(len(alphabet))]
		sum /= uint32(len(alphabet))
	}

	return string(encoded)
}

// Digest writes a digest as 43 characters.
func Digest(sum [sha256.Size]byte) string {
	text := new(big.Int).SetBytes(sum[:]).Text(len(alphabet))
	return strings.Repeat("0", DigestLength-len(text)) + text
}

// Valid tells whether a text has only characters of the alphabet; the empty text does.
func Valid(text string) bool {
	for i := range len(text) {
		c := text[i]
		if (c < '0' || c > '9') && (c < 'A' || c > 'Z') && (c < 'a' || c > 'z') {
			return false
		}
	}

	return true
}

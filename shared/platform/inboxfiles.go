package platform

import (
	"context"
)

// FileSource is a link whose network keeps the files of messages for a time.
type FileSource interface {
	Link
	// FileTerms describes what the network allows.
	FileTerms() FileTerms
	// FindFile asks the network where the file of a message is.
	FindFile(ctx context.Context, account Account, reference string) (FoundFile, error)
}

// FileTerms describes the files of messages that a network returns.
type FileTerms struct {
	// Hosts are those that may have files, with their port unless it is the usual one. A leading "*." means any
	// subdomains. Nothing is requested of other hosts.
	Hosts []string
	// Most is the size of the largest file, in bytes.
	Most int64
	// Failures is the number of failed requests in an hour after which the network must not be asked any more, because it
	// would refuse all; zero: any number.
	Failures int
}

// FoundFile is the place of a file.
type FoundFile struct {
	Address string
	Header  map[string][]string // for the host of the address alone
	Size    int64               // zero: unknown
}

// CodeFileTooLarge is the code of a file that the network does not return because of its size.
const CodeFileTooLarge = "FILE_TOO_LARGE"

// ReplyUploader is a Replier whose network gets the files of an answer before the call that sends it.
type ReplyUploader interface {
	Replier
	// UploadReply uploads the file of an answer, and returns its handle for Reply.Handle. It may be repeated, and sends nothing
	// to the person.
	UploadReply(ctx context.Context, account Account, reply Reply) (handle string, err error)
}

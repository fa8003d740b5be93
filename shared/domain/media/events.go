package media

import (
	"time"

	"fencepost.internal/shared/domain/event"
)

// Event returns the event about the end of the processing of the file: media.ready, or media.failed for a file with a
// problem.
func (a Asset) Event(at time.Time) (event.Event, error) {
	data := event.MediaData{MediaID: a.ID, Name: a.Name, Type: string(a.Type)}
	if a.Problem == "" {
		return event.New(a.WorkspaceID, event.MediaReady, at, data)
	}
	return event.New(a.WorkspaceID, event.MediaFailed, at, event.MediaFailedData{MediaData: data, Error: failure(a.Problem)})
}

// Failure says what is wrong with a file that has a problem; empty for any other.
func (a Asset) Failure() string {
	if a.Problem == "" {
		return ""
	}
	return failure(a.Problem).Message
}

// failure describes a problem to clients. A file with one of the first four problems is of no use for posts.
func failure(problem Problem) event.MediaError {
	switch problem {
	case ProblemGone:
		return event.MediaError{Code: CodeGone, Message: "The file is no longer in storage. Upload it again.", Retryable: true}
	case ProblemChanged:
		return event.MediaError{Code: CodeDamaged, Message: "The file was damaged in storage. Upload it again.", Retryable: true}
	case ProblemBroken:
		return event.MediaError{Code: CodeDamaged, Message: "The file is damaged. Save it again with another program."}
	case ProblemLocked:
		return event.MediaError{Code: CodeLocked, Message: "The file requires a password. Save it without a password."}
	case ProblemTooLarge:
		return event.MediaError{
			Code: CodeTooLarge, Message: "The file has too many pixels or frames to be opened." + unchecked + "Make it smaller to be sure.",
		}
	case ProblemUnsupported:
		return event.MediaError{
			Code:    CodeUnsupported,
			Message: "The file is encoded in an unusual way." + unchecked + "Save it with another program to be sure.",
		}
	default:
		return event.MediaError{
			Code: CodeUnchecked, Message: "The file could not be opened." + unchecked + "Upload it again to be sure.", Retryable: true,
		}
	}
}

// unchecked is the effect of a problem on posts with the file.
const unchecked = " Posts may use it, but its dimensions are not checked, so a network may refuse it. "

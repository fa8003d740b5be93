package facebook

import (
	"context"
	"errors"
	"net/url"
	"strings"

	"fencepost.internal/shared/platform"
	"fencepost.internal/shared/platform/connectors/internal/graph"
	"fencepost.internal/shared/platform/connectors/internal/httpcall"
)

// The states of a video (Video API, status). Others are those of a video that is being processed.
const (
	videoUploading = "uploading"
	videoUploaded  = "upload_complete"
	videoReady     = "ready"
	videoError     = "error"
	videoExpired   = "expired"

	phaseComplete   = "complete"
	phaseError      = "error"
	phaseNotStarted = "not_started"

	publishedState = "published"
)

// longestReason limits Facebook's reason in a log, in bytes.
const longestReason = 200

// video is a video with its state.
type video struct {
	ID        string `json:"id"`
	Permalink string `json:"permalink_url"`
	Status    *struct {
		Video     string `json:"video_status"`
		Uploading struct {
			Status string `json:"status"`
			Bytes  int64  `json:"bytes_transferred"`
		} `json:"uploading_phase"`
		Processing struct {
			Status string `json:"status"`
			Errors []struct {
				Message string `json:"message"`
			} `json:"errors"`
		} `json:"processing_phase"`
		Publishing struct {
			Status string `json:"status"`
			State  string `json:"publish_status"`
		} `json:"publishing_phase"`
	} `json:"status"`
}

// uploaded reports whether Facebook has all bytes.
func (v video) uploaded() bool {
	return v.Status.Uploading.Status == phaseComplete || v.Status.Video == videoUploaded || v.Status.Video == videoReady
}

// failed reports whether the video can never be published.
func (v video) failed() bool {
	return v.Status.Video == videoError || v.Status.Video == videoExpired || v.Status.Processing.Status == phaseError
}

// public reports whether the video is published.
func (v video) public() bool { return v.Status.Publishing.State == publishedState }

// accepted reports whether Facebook has begun to publish the video.
func (v video) accepted() bool {
	return v.Status.Publishing.Status != "" && v.Status.Publishing.Status != phaseNotStarted
}

// untouched reports whether Facebook has certainly not begun to publish the video.
func (v video) untouched() bool {
	idle := v.Status.Video == videoUploading || v.Status.Video == videoUploaded || v.Status.Video == videoReady
	return v.failed() || idle && !v.accepted()
}

// cause returns Facebook's reason for a failed video.
func (v video) cause() error {
	text := "the video has the state " + v.Status.Video
	for _, e := range v.Status.Processing.Errors {
		text += ": " + e.Message
	}
	return errors.New(httpcall.Text(text, longestReason))
}

// video reads a video. A failure for a video that Facebook does not have matches httpcall.ErrGone.
func (c *Connector) video(
	ctx context.Context, operation string, account platform.Account, id string,
) (video, error) {
	response, err := c.get(ctx, operation, account, url.Values{"fields": {"status,permalink_url"}}, id)
	if err != nil {
		return video{}, err
	}
	if graph.ErrorOf(response).Missing() {
		return video{}, httpcall.Passing(response.Cause("the video is gone"))
	}
	if !response.OK() {
		return video{}, c.unread(response)
	}
	var found video
	if err := response.Decode(&found); err != nil || found.ID != id || found.Status == nil {
		return video{}, c.client.Unclear(response, "no state of the video in the response")
	}
	return found, nil
}

// videoPublication returns the publication of a video, which Facebook may still process. Facebook reports the address
// of a video as a path.
func (c *Connector) videoPublication(found video, processing bool) platform.Publication {
	link := found.Permalink
	if strings.HasPrefix(link, "/") {
		link = c.permalink + link
	}
	if link = c.client.Permalink(link); link == "" {
		link = c.client.Permalink(c.permalink + "/reel/" + found.ID)
	}
	return platform.Publication{ExternalID: found.ID, URL: link, InReview: processing}
}

// unread classifies the response to a read that failed. It says nothing about the object, unless the connection is
// refused.
func (c *Connector) unread(response httpcall.Response) *platform.Failure {
	failure := c.failure(response)
	switch failure.Class {
	case platform.ClassReconnect, platform.ClassRateLimited, platform.ClassUser, platform.ClassOperator:
		return failure
	case platform.ClassRejected, platform.ClassTransient, platform.ClassUnknown, platform.ClassRefresh:
	}
	return c.client.Unavailable(response.Cause("the object cannot be read"))
}

package mediabox

import (
	"time"

	"fencepost.internal/shared/infra/mediabox/internal/format"
	"fencepost.internal/shared/infra/mediabox/internal/tool"
)

// The tasks of a child.
const (
	taskCheck   = "check"   // report the guards in effect
	taskProbe   = "probe"   // return size and duration
	taskRender  = "render"  // and create the thumbnail
	taskConvert = "convert" // return size, and write the picture as JPEG into descriptor 4
	taskStrip   = "strip"   // write the video without its metadata into descriptor 4
	taskTrim    = "trim"    // and only a part of it
)

// request is a child's second argument, as JSON. The file is its descriptor 3.
type request struct {
	Task        string        `json:"task"`
	ContentType string        `json:"contentType"`
	Size        int64         `json:"size"`
	Folder      string        `json:"folder"`
	Tools       Tools         `json:"tools"`
	Limits      Limits        `json:"limits"`
	CPU         time.Duration `json:"cpu"`
	Processes   int64         `json:"processes"`
	Target      Target        `json:"target"` // taskConvert
	Part        Part          `json:"part"`   // taskTrim
}

// copies reports whether the task copies the video.
func (r request) copies() bool { return r.Task == taskStrip || r.Task == taskTrim }

// writes reports whether the task writes a file.
func (r request) writes() bool { return r.Task == taskConvert || r.copies() }

// response is a child's output, as JSON.
type response struct {
	Report    tool.Report     `json:"report"`
	Probe     *Probe          `json:"probe,omitempty"`
	Thumbnail *Thumbnail      `json:"thumbnail,omitempty"`
	Converted *Converted      `json:"converted,omitempty"`
	Failure   *format.Failure `json:"failure,omitempty"`
	// Fault is an error that is not caused by the file.
	Fault string `json:"fault,omitempty"`
}

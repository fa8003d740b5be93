package blueskyapi

import (
	"bytes"
	"crypto/rand"
	"encoding/base32"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"fencepost.internal/services/sandbox/internal/mediastore"
	"fencepost.internal/services/sandbox/internal/stage"
	"fencepost.internal/services/sandbox/internal/token"
	"fencepost.internal/shared/domain/media"
)

// Limits of files, in bytes, and of uploads in parts.
const (
	largestBlob  = 50 << 20    // usual limit of a server for direct uploads
	largestWhole = 100_000_000 // of the video service, for uploads in one call
	largestVideo = 300_000_000
	partSize     = 5 << 20
	uploadLife   = time.Hour
	longestName  = 256
)

// Times of files.
const (
	// blobLife is the time after which a server deletes a file that no record refers to.
	blobLife = time.Hour
	// Duration of the simulated conversion of a video.
	createdFor  = 100 * time.Millisecond
	encodingFor = 250 * time.Millisecond
)

// serviceToken is the prefix of tokens for other services: an end in Unix seconds and the account follow.
const serviceToken = "sandbox-service-"

// file is a file on an account's server, or one that arrives in parts.
type file struct {
	ID       string    `json:"id"` // of an upload in parts; empty: the account and the CID
	Account  string    `json:"account"`
	SHA256   string    `json:"sha256,omitempty"`
	Type     string    `json:"type,omitempty"` // MIME type, as the server detected it
	Size     int64     `json:"size"`
	At       time.Time `json:"at"`
	Job      string    `json:"job,omitempty"`      // of the video service, after the end; empty: uploaded directly
	Used     bool      `json:"used,omitempty"`     // a record refers to it
	Received []int64   `json:"received,omitempty"` // numbers of the parts
}

// Key identifies the file.
func (f file) Key() string {
	if f.ID != "" {
		return f.ID
	}
	return f.Account + " " + f.cid()
}

// cid returns the identifier of the file: version 1, raw, SHA-256, in base 32 (atproto.com/specs/data-model).
func (f file) cid() string { return identifier(0x55, f.SHA256) }

// identifier returns the CID of a content type and a hexadecimal SHA-256.
func identifier(codec byte, sum string) string {
	raw, err := hex.DecodeString(sum)
	if err != nil {
		return ""
	}
	const version, sha256, length = 0x01, 0x12, 0x20
	encoding := base32.StdEncoding.WithPadding(base32.NoPadding)
	return "b" + strings.ToLower(encoding.EncodeToString(append([]byte{version, codec, sha256, length}, raw...)))
}

// reference returns the file in the form in which records refer to it.
func (f file) reference() stage.Object {
	return stage.Object{
		"$type": "blob", "ref": map[string]string{"$link": f.cid()}, "mimeType": f.Type, "size": f.Size,
	}
}

func (f file) parts() int64 { return (f.Size + partSize - 1) / partSize }

// length returns the size of a part.
func (f file) length(number int64) int64 { return min(partSize, f.Size-(number-1)*partSize) }

func (a *api) age(f file) time.Duration { return a.Stage.Clock.Now().Sub(f.At) }

// blob returns the account's file with that CID. It returns false if there is none, if the video service has not
// finished it, or if it was deleted.
func (a *api) blob(did, cid string) (file, bool) {
	f, ok := a.files.Get(did + " " + cid)
	ready := f.Job == "" || a.age(f) >= createdFor+encodingFor
	return f, ok && ready && (f.Used || a.age(f) < blobLife)
}

// video returns the video of a job.
func (a *api) video(job string) (file, bool) {
	found := a.files.List(func(f file) bool { return f.ID == "" && f.Job == job && job != "" })
	return slices.Concat(found, []file{{}})[0], len(found) > 0
}

// keep stores a file of an account.
func (a *api) keep(did, job string, item mediastore.Item) (file, error) {
	f := file{
		Account: did, SHA256: item.SHA256, Type: item.ContentType, Size: item.Size, At: a.Stage.Clock.Now(), Job: job,
	}
	if job != "" {
		f.Type = media.ContentTypeMP4 // whatever it was before
	}
	return f, a.files.Keep(f)
}

// uploadBlob stores a file on the account's server.
func (a *api) uploadBlob(r stage.Request) stage.Response {
	if bad := a.unfit(r); bad.Broken {
		return bad.Fault
	}
	f, err := a.keep(r.Account, "", r.Form.Files[0].Item)
	return a.After(err, stage.OK(stage.Object{"blob": f.reference()}))
}

// unfit refuses the file of a call that the server cannot store.
func (a *api) unfit(r stage.Request) stage.Check {
	file := r.Form.Files[0]
	return stage.If(errors.Is(file.Err, mediastore.ErrTooLarge),
		refuse(http.StatusRequestEntityTooLarge, "PayloadTooLarge", "request entity too large")).
		Or(errors.Is(file.Err, mediastore.ErrEmpty) || errors.Is(file.Err, mediastore.ErrUnsupported),
			invalid("Request encoding (Content-Type) required but not provided")).
		Or(file.Err != nil, a.Broken).
		Or(file.Item.ContentType != file.ContentType, invalid("The file is "+file.Item.ContentType))
}

// serviceAuth issues a token with which the video service stores files on the account's server.
func (a *api) serviceAuth(r stage.Request) stage.Response {
	now := a.Stage.Clock.Now()
	end, err := strconv.ParseInt(r.Values.Get("exp"), 10, 64)
	bad := stage.If(r.Values.Get("aud") != "did:web:"+serverHost,
		invalid("The token would be for another server: "+r.Values.Get("aud"))).
		Or(r.Values.Get("lxm") != "com.atproto.repo.uploadBlob", invalid("The sandbox issues tokens for uploadBlob alone")).
		Or(err != nil || end <= now.Unix() || end > now.Add(time.Hour).Unix(),
			refuse(http.StatusBadRequest, "BadExpiration", "cannot request a token with an expiration more than an hour away"))
	given := serviceToken + strconv.FormatInt(end, 10) + "-" + r.Grant.Account
	return bad.Else(stage.OK(map[string]string{"token": given}))
}

// Reasons why an account may not upload videos.
var (
	errUnconfirmed = errors.New("bluesky: the account is not confirmed")
	errProfile     = errors.New("bluesky: the account has no profile")
)

// uploader returns the account of a service token, which may upload videos.
func (a *api) uploader(text string, _ ...string) (token.Grant, error) {
	text, ok := strings.CutPrefix(text, serviceToken)
	end, name, _ := strings.Cut(text, "-")
	number, err := strconv.ParseInt(end, 10, 64)
	return token.Grant{Account: name}, stage.If(
		!ok || err != nil || name == "" || a.Stage.Clock.Now().Unix() >= number, token.ErrInvalid).
		Or(strings.HasPrefix(name, "unconfirmed"), errUnconfirmed).
		Or(strings.HasPrefix(name, "profileless"), errProfile).Fault
}

func noUploader(_ stage.Request, reason error) stage.Response {
	switch {
	case errors.Is(reason, errUnconfirmed):
		return refuse(http.StatusUnauthorized, "unconfirmed_email", "Please confirm your email address")
	case errors.Is(reason, errProfile):
		return refuse(http.StatusUnauthorized, "profile_not_found", "No profile record found")
	default:
		return refuse(http.StatusUnauthorized, "AuthenticationRequired", "invalid service token")
	}
}

// uploadVideo takes a video for conversion. A video that the account has uploaded already is a conflict that names its
// job.
func (a *api) uploadVideo(r stage.Request) stage.Response {
	kind := r.Header.Get("Content-Type")
	bad := stage.If(r.Values.Get("did") != r.Account || r.Values.Get("name") == "", invalid("did and name are required")).
		Or(kind != media.ContentTypeMP4 && kind != media.ContentTypeGIF, invalid("unsupported video type")).Also(a.unfit(r))
	if bad.Broken {
		return bad.Fault
	}
	f, again, err := a.convert(r.Account, r.Form.Files[0].Item)
	shown := a.status(f)
	if again {
		shown["error"], shown["message"] = "already_exists", "Video already processed"
		return stage.Response{Status: http.StatusConflict, Body: shown}
	}
	return a.After(err, stage.OK(shown))
}

// convert begins the conversion of a video, unless the account has uploaded it already.
func (a *api) convert(did string, item mediastore.Item) (f file, again bool, err error) {
	const digits = 20
	job := "job-" + url.PathEscape(strings.TrimPrefix(did, plc)) + "-" + item.SHA256[:digits]
	if f, again = a.video(job); !again {
		f, err = a.keep(did, job, item)
	}
	return f, again, err
}

// status returns the state of a conversion.
func (a *api) status(f file) stage.Object {
	shown := stage.Object{"jobId": f.Job, "did": f.Account, "state": "JOB_STATE_COMPLETED"}
	switch age := a.age(f); {
	case age < createdFor:
		shown["state"] = "JOB_STATE_CREATED"
	case age < createdFor+encodingFor:
		shown["state"], shown["progress"] = "JOB_STATE_ENCODING", 50
	default:
		shown["blob"] = f.reference()
	}
	return shown
}

// job returns the state of a conversion. The call needs no token.
func (a *api) job(w http.ResponseWriter, r *http.Request) {
	f, ok := a.video(r.URL.Query().Get("jobId"))
	if !ok {
		invalid("Job not found").Write(w)
		return
	}
	grant := token.Grant{Account: strings.TrimPrefix(f.Account, plc)}
	a.Perform(w, stage.Request{Request: r, Account: f.Account, Grant: grant}, stage.StepStatus, func() stage.Response {
		return stage.OK(stage.Object{"jobStatus": a.status(f)})
	})
}

// start begins an upload in parts.
func (a *api) start(r stage.Request) stage.Response {
	var given struct {
		SizeBytes      int64
		MimeType, Name string
	}
	err := json.Unmarshal(r.Body, &given)
	bad := stage.If(err != nil || given.SizeBytes < 1 || len(given.Name) > longestName,
		invalid("Input must have the property sizeBytes")).
		Or(given.MimeType != media.ContentTypeMP4,
			refuse(http.StatusBadRequest, "UnsupportedContentType", "unsupported video type")).
		Or(given.SizeBytes > largestVideo, refuse(http.StatusBadRequest, "VideoTooLarge", "The video is too large"))
	if bad.Broken {
		return bad.Fault
	}
	f := file{ID: "upload-" + rand.Text(), Account: r.Account, Size: given.SizeBytes, At: a.Stage.Clock.Now()}
	return a.After(a.files.Keep(f), stage.OK(stage.Object{
		"jobId": f.ID, "partSizeBytes": partSize, "partCount": f.parts(), "expiresAt": stamp(f.At.Add(uploadLife)),
	}))
}

// upload returns the upload of the account.
func (a *api) upload(r stage.Request, id string) (file, stage.Check) {
	f, ok := a.files.Get(id)
	return f, stage.If(!ok || f.ID == "" || f.Account != r.Account,
		refuse(http.StatusBadRequest, "UploadNotFound", "Upload not found")).
		Or(f.Job == "" && a.age(f) > uploadLife, refuse(http.StatusBadRequest, "UploadExpired", "The upload has expired"))
}

// part stores a part.
func (a *api) part(r stage.Request) stage.Response {
	f, bad := a.upload(r, r.Values.Get("jobId"))
	number, err := strconv.ParseInt(r.Values.Get("partNumber"), 10, 64)
	kind, size := r.Header.Get("Content-Type"), f.length(number)
	bad = bad.Or(f.Job != "", refuse(http.StatusBadRequest, "UploadAlreadyCompleted", "The upload is complete")).
		Or(err != nil || number < 1 || number > f.parts(),
			refuse(http.StatusBadRequest, "InvalidPartNumber", "The part number is out of range")).
		Or(kind != "application/octet-stream", invalid("Wrong request encoding (Content-Type): "+kind)).
		Or(int64(len(r.Body)) != size,
			refuse(http.StatusBadRequest, "PartSizeMismatch", fmt.Sprintf("expected %d bytes", size)))
	if bad.Broken {
		return bad.Fault
	}
	err = a.files.Write(f.ID, (number-1)*partSize, size, bytes.NewReader(r.Body))
	if err == nil {
		err = a.files.Change(f.ID, func(f *file) {
			if !slices.Contains(f.Received, number) {
				f.Received = append(slices.Clone(f.Received), number)
			}
		})
	}
	return a.After(err, stage.OK(stage.Object{"partNumber": number, "sizeBytes": size}))
}

// finish hands a complete file over for conversion.
func (a *api) finish(r stage.Request) stage.Response {
	var given struct{ JobID string }
	err := json.Unmarshal(r.Body, &given)
	f, bad := a.upload(r, given.JobID)
	missing := f.parts() - int64(len(f.Received))
	bad = stage.If(err != nil, invalid("Input must have the property jobId")).Also(bad).
		Or(missing > 0, refuse(http.StatusBadRequest, "MissingParts", fmt.Sprintf("%d parts are missing", missing)))
	if bad.Broken {
		return bad.Fault
	}
	if f.Job == "" {
		if bad := a.join(r, &f); bad.Broken {
			return bad.Fault
		}
	}
	video, _ := a.video(f.Job)
	return stage.OK(stage.Object{"completedJobId": f.Job, "jobStatus": a.status(video)})
}

// join makes a video of the parts.
func (a *api) join(r stage.Request, f *file) stage.Check {
	item, usable, err := a.files.Check(r.Context(), a.Stage.Media, f.ID, f.Size, largestVideo, media.ContentTypeMP4)
	bad := stage.If(err != nil, a.Broken).
		Or(!usable, refuse(http.StatusBadRequest, "UnsupportedContentType", "The file is not a video"))
	if bad.Broken {
		return bad
	}
	video, _, err := a.convert(f.Account, item)
	f.Job = video.Job
	return stage.If(errors.Join(err, a.files.Keep(*f), a.files.Drop(f.ID)) != nil, a.Broken)
}

package doctor

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/google/uuid"

	"fencepost.internal/shared/infra/config"
	"fencepost.internal/shared/infra/objectstore"
)

const (
	probePrefix = "uploads/doctor-" // the cleanup deletes objects under uploads/ that a killed doctor left
	probeLife   = time.Minute
	probeType   = "text/plain"
)

// probeText is the content of the object that the check writes.
const probeText = "written by admin doctor"

// store checks the bucket, and the way of clients to its objects.
func (e *exam) store(ctx context.Context) {
	cfg, valid := load[config.ObjectStore](e)
	if !valid {
		return
	}
	inside, err := openStore(cfg, "")
	if err != nil {
		e.report(Finding{Check: checkStore, Code: "CONFIGURATION", Text: "The settings of the object store are not valid.", Cause: err.Error()})
		return
	}
	ctx, cancel := context.WithTimeout(ctx, stepLimit)
	defer cancel()
	if err := inside.Ping(ctx); err != nil {
		e.report(noStore(cfg, err))
		return
	}
	key := probePrefix + uuid.NewString()
	_, err = inside.Put(ctx, objectstore.PutRequest{
		Key: key, Body: strings.NewReader(probeText), Size: int64(len(probeText)), ContentType: probeType,
	})
	if err != nil {
		e.report(noStore(cfg, err))
		return
	}
	defer func() { _ = inside.Delete(context.WithoutCancel(ctx), key) }()
	before := len(e.findings)
	e.bucket(ctx, inside, cfg)
	e.isPrivate(ctx, inside, key)
	e.gateway(ctx, cfg, key)
	if len(e.findings) == before {
		e.ok(checkStore, "bucket %s is written, read and private", cfg.S3Bucket)
	}
}

func openStore(cfg config.ObjectStore, public string) (*objectstore.Store, error) {
	return objectstore.New(objectstore.Config{
		Endpoint: cfg.S3Endpoint, PublicEndpoint: public, Region: cfg.S3Region, AccessKey: cfg.S3AccessKey,
		SecretKey: cfg.S3SecretKey.Reveal(), Bucket: cfg.S3Bucket, Addressing: objectstore.Addressing(cfg.S3Addressing),
	})
}

// noStore explains why the bucket cannot be used.
func noStore(cfg config.ObjectStore, err error) Finding {
	f := Finding{
		Check: checkStore, Code: "STORE_UNUSABLE", Text: "The object store does not serve the bucket " + cfg.S3Bucket + ".",
		Cause: causeOf(err), Remedy: "Check S3_BUCKET, S3_REGION, S3_ADDRESSING and the rights of S3_ACCESS_KEY.",
	}
	has := func(code string) bool { return strings.Contains(f.Cause, code) }
	switch {
	case errors.Is(err, objectstore.ErrFull):
		f.Code, f.Text = "STORE_FULL", "The object store is full."
		f.Remedy = "Add space, or raise the quota of the bucket."
	case errors.Is(err, objectstore.ErrUnavailable):
		f.Code, f.Text = "STORE_UNREACHABLE", "The object store does not respond at "+cfg.S3Endpoint+"."
		f.Remedy = "Check S3_ENDPOINT, that the store runs, and firewalls on the way."
	case has("there is no bucket"), has("NoSuchBucket"):
		f.Code, f.Text = "STORE_BUCKET", "The object store has no bucket "+cfg.S3Bucket+"."
		f.Remedy = `Correct S3_BUCKET, or create the bucket; "migrate up" creates it too.`
	case has("RequestTimeTooSkewed"):
		f.Code, f.Text = "STORE_CLOCK", "The object store refuses signatures of this machine's clock."
		f.Remedy = "Synchronize the clocks of this machine and of the store by NTP."
	case has("SignatureDoesNotMatch"), has("InvalidAccessKeyId"), has("403"):
		f.Code, f.Text = "STORE_LOGIN", "The object store refuses the access key."
		f.Remedy = "Check S3_ACCESS_KEY, S3_SECRET_KEY and S3_REGION, and the key's rights in the bucket."
	}
	return f
}

// bucket reports a bucket that keeps deleted objects.
func (e *exam) bucket(ctx context.Context, store *objectstore.Store, cfg config.ObjectStore) {
	versioned, err := store.IsVersioned(ctx)
	if err != nil || !versioned { // the credentials may lack the right to read the setting
		return
	}
	e.report(Finding{
		Check: checkStore, Level: Warning, Code: "STORE_VERSIONING", Text: "The bucket " + cfg.S3Bucket + " keeps old versions.",
		Cause:  "Versioning is enabled: deleted files of users are kept, and the bucket grows without end.",
		Remedy: "Suspend versioning, and delete old versions.",
	})
}

// isPrivate reports a bucket whose objects can be read without a signature.
func (e *exam) isPrivate(ctx context.Context, store *objectstore.Store, key string) {
	signed, err := store.PresignGet(objectstore.GetTerms{Key: key, Expires: probeLife})
	if err != nil {
		return
	}
	address, err := url.Parse(signed.URL)
	if err != nil {
		return
	}
	address.RawQuery = ""
	if status, _, err := e.get(ctx, address.String()); err == nil && status == http.StatusOK {
		e.report(Finding{
			Check: checkStore, Code: "STORE_PUBLIC", Text: "Objects of the bucket can be read without a signature.",
			Cause:  "A policy of the bucket allows anonymous reads.",
			Remedy: "Remove the policy. Clients need only signed addresses.",
		})
	}
}

// gateway reads the object as clients do, through the public address.
func (e *exam) gateway(ctx context.Context, cfg config.ObjectStore, key string) {
	if cfg.S3PublicEndpoint == "" {
		return
	}
	const variable = "S3_PUBLIC_ENDPOINT"
	store, err := openStore(cfg, cfg.S3PublicEndpoint)
	if err != nil {
		return
	}
	signed, err := store.PresignGet(objectstore.GetTerms{Key: key, Expires: probeLife})
	if err != nil {
		return
	}
	status, body, err := e.get(ctx, signed.URL)
	if err == nil && status == http.StatusOK && bytes.Equal(body, []byte(probeText)) {
		e.isLocal(variable, cfg.S3PublicEndpoint)
		return
	}
	f := e.unreached(variable, cfg.S3PublicEndpoint, status, err)
	if f.Code == codeOther {
		f.Cause = "It responds to a signed address with status " + http.StatusText(status) + ": " + excerpt(body)
		f.Remedy = "Lead " + variable + " to the program files, whose S3_ENDPOINT and S3_BUCKET are those of the other programs; " +
			"the proxy must pass the host and the path on."
	}
	e.report(f)
}

// excerpt returns the begin of a response in one line.
func excerpt(body []byte) string {
	const longest = 200
	text := strings.Join(strings.Fields(string(body[:min(len(body), longest)])), " ")
	return strings.ToValidUTF8(text, "")
}

// get requests an address and returns the status and the begin of the body.
func (e *exam) get(ctx context.Context, address string) (int, []byte, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, http.NoBody)
	if err != nil {
		return 0, nil, err
	}
	response, err := e.client.Do(request)
	if err != nil {
		return 0, nil, err
	}
	defer func() { _ = response.Body.Close() }()
	e.expiry(address, response.TLS)
	const longest = 64 << 10
	body, err := io.ReadAll(io.LimitReader(response.Body, longest))
	return response.StatusCode, body, err
}

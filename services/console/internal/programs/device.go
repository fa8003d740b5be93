package programs

import (
	"net/http"
	"time"

	"fencepost.internal/services/console/internal/frame"
	"fencepost.internal/services/internal/authserver"
	"fencepost.internal/shared/infra/ratelimit"
	"fencepost.internal/shared/kernel/apperr"
)

const (
	pathDevice = "/device"
	// codesPerMinute is the number of codes that a person, and a network, may type within a minute.
	codesPerMinute = 10
)

// device is the page on which a user types the code of a device and decides about its access (RFC 8628, section 3.3).
type device struct {
	*consent

	limiter *ratelimit.Limiter
}

func (d *device) routes() []frame.Route {
	return []frame.Route{
		{Pattern: "GET " + pathDevice, Access: frame.SignedIn, Handle: d.show},
		{Pattern: "POST " + pathDevice, Access: frame.SignedIn, Handle: d.enter},
	}
}

// waiting is the device, as the page shows it.
type waiting struct{ Code, Place, Ago string }

// typed is the data of the page with the code.
type typed struct{ Code, Error string }

func (d *device) show(v *frame.Visit) error { return d.ask(v, http.StatusOK, typed{}) }

// ask shows the form for the code. No address has a code, so that a person types it from the device.
func (d *device) ask(v *frame.Visit, status int, data typed) error {
	return v.Page(frame.Page{Name: "programs/device", Title: "Sign in on a device", Status: status, Bare: true, Data: data})
}

// enter finds the device by the code, and applies the decision if the form has one.
func (d *device) enter(v *frame.Visit) error {
	if !d.mayGuess(v) {
		return nil
	}
	code, decision := v.Form("request"), v.Form("decision")
	requested, err := d.authorizations.RequestedDevice(v.Request.Context(), code)
	if apperr.Is(err, apperr.NotFound) {
		return d.ask(v, http.StatusUnprocessableEntity, typed{
			Code: code, Error: "The code is wrong, was used, or has expired. Compare it with your device.",
		})
	}
	if err != nil {
		return err
	}
	switch decision {
	case "":
		return d.decision(v, requested, code, http.StatusOK, "")
	case "deny":
		err = d.authorizations.DenyDevice(v.Request.Context(), code)
		return d.finished(v, err, "Access denied", "The device gets no access. You can close this page.")
	case "allow":
		fault, err := d.granted(v, func(decision authserver.Decision) error {
			return d.authorizations.AllowDevice(v.Request.Context(), code, decision)
		})
		if fault != "" {
			return d.decision(v, requested, code, http.StatusUnprocessableEntity, fault)
		}
		return d.finished(v, err, "Access allowed", "Return to your device. It is signed in within a few seconds.")
	default:
		return d.decision(v, requested, code, http.StatusUnprocessableEntity, "Choose Allow or Cancel.")
	}
}

// mayGuess limits the codes that a person or a network tries. It responds if not.
func (d *device) mayGuess(v *frame.Visit) bool {
	const text = "Wait a minute, then type the code again."
	again := frame.Link{Text: "Type the code", Path: pathDevice}
	if !v.FromPlace(d.limiter, "device", codesPerMinute, text, again) {
		return false
	}
	limit := ratelimit.Limit{PerMinute: codesPerMinute, Burst: codesPerMinute}
	if d.limiter.Take(v.Request.Context(), "device:"+v.User.ID.String(), limit).Allowed {
		return true
	}
	v.Out.Header().Set("Retry-After", "60")
	v.Message(http.StatusTooManyRequests, "Too many attempts", text, again)
	return false
}

// decision shows the device and the access that it requests.
func (d *device) decision(v *frame.Visit, requested authserver.RequestedDevice, code string, status int, fault string) error {
	of := requested.Device
	data := d.describe(requested.Client, of.Resource, of.Scopes)
	data.Action, data.Request, data.Error = pathDevice, code, fault
	data.Device = &waiting{Code: code, Place: of.Place, Ago: ago(v.Now().Sub(of.CreatedAt))}
	return d.write(v, data, status)
}

func ago(since time.Duration) string {
	switch minutes := int(since.Minutes()); minutes {
	case 0:
		return "just now"
	case 1:
		return "a minute ago"
	default:
		return frame.Plural(minutes, "minute") + " ago"
	}
}

func (d *device) finished(v *frame.Visit, err error, heading, text string) error {
	if decided(v, err) {
		return nil
	}
	if err != nil {
		return err
	}
	v.Say(http.StatusOK, heading, text)
	return nil
}

package poststate

import (
	"html/template"

	"fencepost.internal/services/console/internal/frame"
	"fencepost.internal/shared/domain/channel"
)

// Sprite returns the shapes of states and the marks of the networks of channels as symbols, which slips use by name: a
// calendar of 500 slips has each shape once.
func Sprite(channels []channel.Channel) template.HTML {
	symbols := template.HTML(states16) //nolint:gosec // G203: a constant
	seen := make(map[channel.Network]bool)
	for _, c := range channels {
		if network := c.Type.Network(); !seen[network] {
			seen[network] = true
			symbols += frame.Symbol(network)
		}
	}
	return `<svg class="sprite" aria-hidden="true">` + symbols + `</svg>`
}

// states16 are the shapes of states on a ground of 16 by 16. Filled shapes want a person or are done, outlines go on
// by themselves.
const states16 = `<symbol id="s-draft" viewBox="0 0 16 16"><circle cx="8" cy="8" r="6" stroke-dasharray="2.5 2.2"/></symbol>` +
	`<symbol id="s-pending" viewBox="0 0 16 16"><circle cx="8" cy="8" r="6"/><path class="g-solid" d="M8 4.2a3.8 3.8 0 0 1 0 7.6z"/></symbol>` +
	`<symbol id="s-held" viewBox="0 0 16 16"><circle class="g-solid" cx="8" cy="8" r="7"/><path class="g-hole" d="M6.3 5.5v5M9.7 5.5v5"/></symbol>` +
	`<symbol id="s-scheduled" viewBox="0 0 16 16"><circle cx="8" cy="8" r="6"/><path d="M8 4.8V8l2.1 1.5"/></symbol>` +
	`<symbol id="s-sending" viewBox="0 0 16 16"><path d="M14 8a6 6 0 1 1-3.5-5.5"/></symbol>` +
	`<symbol id="s-waiting" viewBox="0 0 16 16"><circle cx="8" cy="8" r="6"/><path d="M5.3 8h.01M8 8h.01M10.7 8h.01"/></symbol>` +
	`<symbol id="s-checking" viewBox="0 0 16 16"><circle cx="7" cy="7" r="4.8"/><path d="m10.6 10.6 3.4 3.4"/></symbol>` +
	`<symbol id="s-published" viewBox="0 0 16 16"><circle class="g-solid" cx="8" cy="8" r="7"/><path class="g-hole" d="m4.9 8.2 2.1 2.1 4.1-4.3"/></symbol>` +
	`<symbol id="s-failed" viewBox="0 0 16 16"><path class="g-solid" d="M5.3 1h5.4L15 5.3v5.4L10.7 15H5.3L1 10.7V5.3z"/><path class="g-hole" d="M8 4.5v4M8 11.2v.01"/></symbol>` +
	`<symbol id="s-archived" viewBox="0 0 16 16"><circle cx="8" cy="8" r="6"/><path d="M5.5 8h5"/></symbol>`

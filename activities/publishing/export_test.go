package publishing

// Marker exposes marker to tests.
var Marker = marker

// AdmitCanceled cancels a waiting step and gives it a place before the step notices that it is canceled.
func (g *Gate) AdmitCanceled(cancel func()) {
	g.mu.Lock()
	defer g.mu.Unlock()
	cancel()
	g.release()
}

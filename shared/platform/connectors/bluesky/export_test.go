package bluesky

// SendInParts lets the connector send videos in parts that are larger than the size, in bytes.
func (c *Connector) SendInParts(size int64) { c.whole = size }

package pinterest

// MayUploadTo reports whether the connector sends bytes to the address.
func (c *Connector) MayUploadTo(address string) bool { return c.mayUploadTo(address) }

package settings

// WriteRow writes a row of the audit export.
var WriteRow = writeRow

package process

// OnOwnThread is what a launcher runs on.
var OnOwnThread = onOwnThread

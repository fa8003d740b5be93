package process

// OnOwnThread exports onOwnThread for the tests.
var OnOwnThread = onOwnThread

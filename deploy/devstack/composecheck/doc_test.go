package composecheck_test

import _ "github.com/compose-spec/compose-go/v2/loader"

package confine

import "golang.org/x/sys/unix"

const (
	auditArchitecture  = unix.AUDIT_ARCH_AARCH64
	firstForeignNumber = 0x40000000 // far above the last number
)

func oldForbiddenCalls() []uint32 { return []uint32{unix.SYS_KEXEC_FILE_LOAD} }

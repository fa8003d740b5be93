package confine

import "golang.org/x/sys/unix"

const (
	auditArchitecture  = unix.AUDIT_ARCH_X86_64
	firstForeignNumber = 0x40000000 // __X32_SYSCALL_BIT
)

// oldForbiddenCalls returns the calls that exist only on this architecture.
func oldForbiddenCalls() []uint32 {
	return []uint32{unix.SYS_IOPERM, unix.SYS_IOPL, unix.SYS_MODIFY_LDT, unix.SYS_KEXEC_FILE_LOAD}
}

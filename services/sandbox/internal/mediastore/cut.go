package mediastore

import "os"

// Cut deletes the bytes of a file after the size. A file without bytes stays.
func (s *Uploads[R]) Cut(key string, size int64) { _ = os.Truncate(s.path(key, 0), size) }

package rules

import "fencepost.internal/shared/domain/media"

// problem reports what the service found when it opened the file. It returns false for a file that cannot be published,
// whose other properties do not matter.
func (c *checker) problem(i int, asset media.Asset) bool {
	switch asset.Problem {
	case media.ProblemBroken:
		c.damaged(media.CodeDamaged, i, "Attachment %d is damaged. Save it again with another program, or upload it again.")
	case media.ProblemChanged:
		c.damaged(media.CodeDamaged, i, "Attachment %d was damaged in storage. Upload it again.")
	case media.ProblemGone:
		c.damaged(media.CodeGone, i, "Attachment %d is no longer in storage. Upload it again.")
	case media.ProblemLocked:
		c.fault(pointer(i), "Attachment %d requires a password, so %s cannot open it. Save it without a password.",
			i+1, c.row.Name)
		return false
	case media.ProblemTooLarge:
		c.unseen(i, asset, "it has too many pixels or frames", "Make it smaller to be sure.")
	case media.ProblemUnsupported:
		c.unseen(i, asset, "it is encoded in an unusual way", "Save it with another program to be sure.")
	case media.ProblemTimedOut:
		c.unseen(i, asset, "that takes too long", "Make it smaller to be sure.")
	case media.ProblemToolMissing:
		c.unseen(i, asset, "a program for it is not installed", "Ask the operator of the service to install it.")
	}
	switch asset.Problem {
	case media.ProblemBroken, media.ProblemChanged, media.ProblemGone:
		return false
	default:
		return true
	}
}

// damaged reports a file that cannot be sent.
func (c *checker) damaged(code string, i int, format string) {
	c.fault(pointer(i), format, i+1)
	c.findings[len(c.findings)-1].Code = code
}

// unseen warns about a file that the service could not open.
func (c *checker) unseen(i int, asset media.Asset, why, remedy string) {
	unchecked := "dimensions are"
	if asset.Type == media.Video {
		unchecked = "dimensions and its duration are"
	}
	c.warn(pointer(i), "The service cannot open attachment %d, because %s. Its %s not checked, and %s may refuse it. %s",
		i+1, why, unchecked, c.row.Name, remedy)
}

// animation warns about an animation of which the network shows one frame.
func (c *checker) animation(i int, asset media.Asset) {
	if asset.Type == media.Image && asset.Probe.Frames > 1 {
		c.warn(pointer(i), "Attachment %d is animated, and %s shows only its first frame. Attach a GIF or a video to show the "+
			"animation.", i+1, c.row.Name)
	}
}

// duration warns about a video whose duration is unknown and limited.
func (c *checker) duration(i int, asset media.Asset, file File) {
	if asset.Type == media.Video && asset.Processed() && asset.Problem == "" && asset.Probe.Duration == 0 &&
		file.Length.String() != "" {
		c.warn(pointer(i), "The duration of attachment %d is unknown, and %s accepts videos of %s. Save it again with another "+
			"program to be sure.", i+1, c.row.Name, file.Length)
	}
}

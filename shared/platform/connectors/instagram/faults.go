package instagram

// fault is the meaning of one of Instagram's own codes.
type fault int

const (
	faultPassing  fault = iota + 1 // of Instagram's servers
	faultSpam                      // of Instagram's servers, or a suspicion of spam
	faultFetch                     // Instagram could not fetch a file
	faultNotReady                  // the container is not finished
	faultStale                     // the container can no longer be used
	faultQuota                     // the daily number of posts is exhausted
	faultAccount                   // the account is restricted
	faultTrial                     // the account may not create trial reels
	faultLong                      // the caption is too long
	faultTags                      // the caption has too many or invalid tags
	faultShape                     // from here on: problems of a file
	faultSize
	faultImage
	faultVideo
	faultCover
	faultType
	faultCount
)

// faultOf returns the fault of the first known number. It returns false if none is known. The numbers are subcodes and
// some codes. They also occur in the text of a failed container.
func faultOf(numbers ...int) (fault, bool) {
	for _, number := range numbers {
		if f := faultOfOne(number); f != 0 {
			return f, true
		}
	}
	return 0, false
}

func faultOfOne(number int) fault {
	switch number {
	case 2207001:
		return faultSpam
	case 2207032, 2207053, 2207082:
		return faultPassing
	case 2207003, 2207052, 2207077, 9004:
		return faultFetch
	case 2207027, 9007:
		return faultNotReady
	case 2207006, 2207008, 2207020:
		return faultStale
	case 2207042:
		return faultQuota
	case 2207050, 2207051:
		return faultAccount
	case 2207081:
		return faultTrial
	case 2207010:
		return faultLong
	case 2207035, 2207036, 2207037, 2207040:
		return faultTags
	default:
		return faultOfFile(number)
	}
}

func faultOfFile(number int) fault {
	switch number {
	case 2207009, 36003:
		return faultShape
	case 2207004, 36000:
		return faultSize
	case 2207005, 36001:
		return faultImage
	case 2207026, 352:
		return faultVideo
	case 2207057:
		return faultCover
	case 2207023:
		return faultType
	case 2207028:
		return faultCount
	default:
		return 0
	}
}

// remedy returns the problem with the content and its remedy.
func (f fault) remedy() string {
	switch f { //nolint:exhaustive // the others are not about content
	case faultLong:
		return "it is too long. Shorten it"
	case faultTags:
		return "it has more than 5 hashtags or 20 mentions, or some that do not exist. Remove some"
	case faultShape:
		return "an image is too narrow or too wide. Crop it to between 3:4 and 1.91:1"
	case faultSize:
		return "an image is too large. Make it smaller"
	case faultImage:
		return "an image is not in a format that Instagram accepts. Convert it to JPEG"
	case faultVideo:
		return "a video is not in a format that Instagram accepts. Convert it to MP4 with H.264 and AAC"
	case faultCover:
		return "the cover is outside of the video. Choose another"
	case faultCount:
		return "a carousel has 2 to 10 files. Add or remove some"
	default:
		return "Instagram does not accept its type. Replace it"
	}
}

package composecheck_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/compose-spec/compose-go/v2/types"
	"github.com/stretchr/testify/require"
)

// stage is one build stage of the Dockerfile.
type stage struct {
	base         string // the image or stage on which it is based
	instructions []string
}

// stages parses the Dockerfile and returns its stages by name.
func stages(t *testing.T) map[string]*stage {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join(root, "deploy", "docker", "Dockerfile"))
	require.NoError(t, err)
	found := make(map[string]*stage)
	var current *stage
	from := regexp.MustCompile(`^FROM (\S+) AS (\S+)$`)
	for line := range strings.Lines(strings.ReplaceAll(string(raw), "\\\n", " ")) {
		line = strings.TrimSpace(line)
		switch match := from.FindStringSubmatch(line); {
		case match != nil:
			current = &stage{base: match[1]}
			found[match[2]] = current
		case line != "" && !strings.HasPrefix(line, "#") && current != nil:
			current.instructions = append(current.instructions, line)
		}
	}
	return found
}

// chain returns the instructions that make a stage's image, oldest first, and its base image.
func chain(stages map[string]*stage, name string) (image string, instructions []string) {
	for stages[name] != nil {
		instructions = slices.Concat(stages[name].instructions, instructions)
		name = stages[name].base
	}
	return name, instructions
}

// creates reports whether the instructions create a folder that the program's user owns. COPY sets the owner only of a
// folder that it creates itself, so it counts only in an image that starts empty.
func creates(image string, instructions []string, folder string) bool {
	copied := "COPY --from=build --chown=65532:65532 /empty " + folder
	installed := regexp.MustCompile(`^RUN install -d -o 65532 -g 65532 (-m \d+ )?` + regexp.QuoteMeta(folder) + `$`)
	return slices.ContainsFunc(instructions, func(instruction string) bool {
		return image == "scratch" && instruction == copied || installed.MatchString(instruction)
	})
}

// TestVolumeOwners covers every named volume of the project's images. A container engine gives an empty
// volume the owner of the image's folder, or root if the image has no such folder.
func TestVolumeOwners(t *testing.T) {
	t.Parallel()
	project, stages := load(t), stages(t)
	mounted := make(map[string]string)
	for _, program := range programNames() {
		image, instructions := chain(stages, project.Services[program].Build.Target)
		for _, volume := range project.Services[program].Volumes {
			if volume.Type == types.VolumeTypeVolume {
				mounted[program] = volume.Target
				require.True(t, creates(image, instructions, volume.Target),
					"the image of %s does not create %s with the owner 65532; it starts from %s", program, volume.Target, image)
			}
		}
	}
	require.Equal(t, map[string]string{"admin": "/backups", "sandbox": "/data", "worker": "/media"}, mounted)
}

// Command chart packs the Helm chart in deploy/helm, and writes the schemas that its tests use:
//
//	go run . pack CHART VERSION FOLDER    the package of a chart, as `helm package` does
//	go run . schemas FOLDER               JSON schemas of the objects that the chart creates
//
// The tests render the chart with Helm's engines, validate the objects with kubeconform and the schemas in this folder,
// and compare them with the declarations of the programs.
package main

import (
	"errors"
	"fmt"
	"log"
	"os"

	"helm.sh/helm/v4/pkg/chart/v2/loader"
	"helm.sh/helm/v4/pkg/chart/v2/util"
)

func main() {
	log.SetFlags(0)
	if err := run(os.Args[1:]); err != nil {
		log.Fatal(err)
	}
}

func run(args []string) error {
	switch {
	case len(args) == 4 && args[0] == "pack":
		return pack(args[1], args[2], args[3])
	case len(args) == 2 && args[0] == "schemas":
		return writeSchemas(args[1])
	}
	return errors.New("usage: chart pack CHART VERSION FOLDER | chart schemas FOLDER")
}

func pack(folder, version, out string) error {
	chart, err := loader.LoadDir(folder)
	if err != nil {
		return err
	}
	chart.Metadata.Version, chart.Metadata.AppVersion = version, version
	path, err := util.Save(chart, out)
	if err == nil {
		_, err = fmt.Println(path)
	}
	return err
}

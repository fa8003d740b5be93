// Command pack writes the package of a Helm chart, as `helm package` does:
//
//	go run ./pack CHART VERSION FOLDER
package main

import (
	"fmt"
	"log"
	"os"

	"helm.sh/helm/v4/pkg/chart/v2/loader"
	"helm.sh/helm/v4/pkg/chart/v2/util"
)

func main() {
	log.SetFlags(0)
	if len(os.Args) != 4 { //nolint:mnd // the program and its arguments
		log.Fatal("usage: pack CHART VERSION FOLDER")
	}
	if err := pack(os.Args[1], os.Args[2], os.Args[3]); err != nil {
		log.Fatal(err)
	}
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

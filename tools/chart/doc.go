// Package chart tests the Helm chart in deploy/helm: it renders the chart with Helm's engines, validates the objects
// with kubeconform and the schemas in this folder, and compares them with the declarations of the programs.
package chart

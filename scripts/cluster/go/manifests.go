//go:build manifests

// Modules of which only the manifests are used. Nothing is built from this file: it makes go.mod
// name their versions.
package main

import (
	_ "github.com/kubernetes-csi/external-snapshotter/client/v8/apis/volumesnapshot/v1"
	_ "sigs.k8s.io/gateway-api/apis/v1"
)

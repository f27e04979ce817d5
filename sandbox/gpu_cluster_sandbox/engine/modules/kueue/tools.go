//go:build tools

// Package tools pins the module graph that the Kueue controller is built from.
package tools

import _ "sigs.k8s.io/kueue/cmd/kueue"

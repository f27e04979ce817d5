//go:build tools

// Package tools pins the module graph that kwok is built from.
package tools

import _ "sigs.k8s.io/kwok/cmd/kwok"

//go:build tools

// Package tools pins the module graph that the Pulumi command line is built from.
package tools

import _ "github.com/pulumi/pulumi/pkg/v3/cmd/pulumi"

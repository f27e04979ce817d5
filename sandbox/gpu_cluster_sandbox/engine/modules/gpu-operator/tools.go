//go:build tools

// Package tools pins the module graph that the GPU Operator's controller is built from.
package tools

import _ "github.com/NVIDIA/gpu-operator/cmd/gpu-operator"

//go:build tools

// Package tools pins the module graph that etcd is built from.
package tools

import _ "go.etcd.io/etcd/server/v3"

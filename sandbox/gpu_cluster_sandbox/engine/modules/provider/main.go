// Command pulumi-resource-kubernetes serves the Kubernetes provider from its Go module.
//
// The provider's own command embeds files that its release process generates and the
// module does not carry, so this one reads the schema that the module does carry: the
// build copies it here and stamps the version into it.
package main

import (
	_ "embed"

	"github.com/pulumi/pulumi-kubernetes/provider/v4/pkg/provider"
	"github.com/pulumi/pulumi-kubernetes/provider/v4/pkg/version"
)

//go:embed schema.json
var schema []byte

// The Terraform mapping only serves state conversion, which nothing here asks for.
var terraformMapping = []byte("{}")

func main() { provider.Serve("kubernetes", version.Version, schema, terraformMapping) }

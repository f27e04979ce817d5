"""Components as other languages can be given them: inputs are typed mappings."""

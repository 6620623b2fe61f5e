# SPDX-License-Identifier: MIT
# Who may include whom (CONTRIBUTING.md). Prints each include that breaks the rule; files are given
# by their path from the top of the tree.

BEGIN {
	ours["probes"] = "^probes/"
	ours["kernel"] = "^(kernel|probes)/|^version\\.h$"
	ours["efi"] = "^efi/|^kernel/machine\\.h$"
	ours["host"] = "^(host|report|probes)/|^version\\.h$"
	ours["report"] = "^report/"
	# What a freestanding compiler or libstb-dev brings; string.h for mem* and str* of our own.
	free = "^(stdarg|stdbool|stddef|stdint|string)\\.h$|^stb/"
	theirs["probes"] = theirs["kernel"] = free
	theirs["efi"] = free "|^efi"
}

FNR == 1 {
	dir = FILENAME
	sub("/.*", "", dir)
}

function broken(what) {
	printf "%s:%d: %s may not include %s\n", FILENAME, FNR, dir, what
	found = 1
}

dir in ours && /^[ \t]*#[ \t]*include[ \t]*"/ {
	split($0, part, "\"")
	if (part[2] !~ ours[dir])
		broken("\"" part[2] "\"")
}

dir in theirs && /^[ \t]*#[ \t]*include[ \t]*</ {
	split($0, part, "[<>]")
	if (part[2] !~ theirs[dir])
		broken("<" part[2] ">")
}

END { exit found }

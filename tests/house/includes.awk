# SPDX-License-Identifier: MIT
# Who may include whom. Reads the table of rooms in CONTRIBUTING.md, the first file, then sources, given
# by their path from the top of the tree; prints each include that breaks the rule.

# What a freestanding compiler or libstb-dev brings; string.h for mem* and str* of our own.
BEGIN {
	headers["freestanding"] = "^(stdarg|stdbool|stddef|stdint|string)\\.h$|^stb/"
	headers["freestanding, efi"] = headers["freestanding"] "|^efi"
	headers["any"] = "."
}

# | `room/` | what it is | `may/` `include/` | system headers |
FNR == NR {
	if (!/^\| `[a-z\/]+\/` \|/)
		next
	split($0, cell, / *\| */)
	room = cell[2]
	gsub(/`/, "", room)
	gsub(/`/, "", cell[4])
	may[room] = cell[4]
	if (!(cell[5] in headers)) {
		printf "%s:%d: unknown kind of system headers: %s\n", FILENAME, FNR, cell[5]
		found = 1
	}
	system_headers[room] = headers[cell[5]]
	next
}

# The longest room that the path begins with; "" for tests and tools. A list of loops is of the loops'
# room in any probe's folder.
function room_of(path, room, best) {
	best = ""
	if (path ~ /^probes\/[a-z]+\/[a-z]+_loops\.inc$/)
		return "probes/loops/"
	for (room in may)
		if (index(path, room) == 1 && length(room) > length(best))
			best = room
	return best
}

# A probe's folder has its tests, which may include anything, and what the known-answer machine must
# show, which knows no code of a probe.
FNR == 1 {
	here = FILENAME ~ /_test\.c$/ ? "" : room_of(FILENAME)
	truth = FILENAME ~ /_truth\.c$/
}

truth {
	if (/^[ \t]*#[ \t]*include[ \t]*"probes\//) {
		printf "%s:%d: a truth may not include the code of a probe\n", FILENAME, FNR
		found = 1
	}
	next
}

# A folder in the list allows what lies in it, but not in a room within it; a file allows that file.
function allowed(path, n, i, list) {
	n = split(may[here], list, / +/)
	for (i = 1; i <= n; i++)
		if (list[i] == path || (list[i] ~ /\/$/ && room_of(path) == list[i]))
			return 1
	return 0
}

function broken(what) {
	printf "%s:%d: %s may not include %s\n", FILENAME, FNR, here, what
	found = 1
}

here != "" && /^[ \t]*#[ \t]*include[ \t]*"/ {
	split($0, part, "\"")
	if (!allowed(part[2]))
		broken("\"" part[2] "\"")
}

here != "" && /^[ \t]*#[ \t]*include[ \t]*</ {
	split($0, part, "[<>]")
	if (part[2] !~ system_headers[here])
		broken("<" part[2] ">")
}

END { exit found }

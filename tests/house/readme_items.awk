# SPDX-License-Identifier: MIT
# awk -v sort=HEADING: "PROBE NAME" of what the items below that heading of READMEs name, as `anechoic explain` reads
# them; behind the name of a value its "(unit)".
function tell(    probe, unit, names) {
	if (item !~ /^- `/)
		return
	probe = FILENAME
	sub(/\/README.md$/, "", probe)
	sub(/.*\//, "", probe)
	names = item
	sub(/:.*/, "", names)
	unit = sort == "Values" && match(names, /\([^)]*\)$/) ? " " substr(names, RSTART) : ""
	while (match(names, /`[^`]+`/)) {
		print probe, substr(names, RSTART + 1, RLENGTH - 2) unit
		names = substr(names, RSTART + RLENGTH)
	}
}
/^ +[^ ]/ && item != "" { sub(/^ +/, " "); item = item $0; next }
{ tell(); item = "" }
/^## / { inside = $0 == "## " sort }
inside && /^- / { item = $0 }
END { tell() }

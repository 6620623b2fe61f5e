# SPDX-License-Identifier: MIT
# Machines with code of the user's own in their configuration; after helper.bash.

# with_code BYTES [LINE...]: both rooms of a machine whose configuration has this code.
with_code() {
	local code=$1
	shift
	machine "probes = code,clock:rdtsc" "code = $code" "$@"
	both_rooms_complete
}

# ended_by REASON: the row was, in both rooms.
ended_by() {
	for room in firmware bare; do
		some $room '.kind == "skip" and .probe == "code" and .reason == "'"$1"'"'
	done
}

# measured: a row in both rooms, and nothing was raised.
measured() {
	for room in firmware bare; do
		some $room '.kind == "row" and .probe == "code" and .cycles > 0'
		some $room '.kind == "row" and .probe == "clock" and .median > 0'
		some $room '.kind == "end" and .exceptions == 0 and .interrupts == 0'
	done
}

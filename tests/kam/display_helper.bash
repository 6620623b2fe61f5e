# SPDX-License-Identifier: MIT
# Runs of the known-answer machine with a display and without, for display.bats and the long one.
#
# The TSC counts the core's cycles: where it does not, the tick in which a sample begins is another
# one after each pause, and the sample a tick longer or shorter.
#
# All are --cold: what is drawn between two samples then changes the second one, and text, which all
# runs have, takes as much from the rows that follow it as drawing does.

setup() {
	cd "$BATS_TEST_DIRNAME/../.." || return
	[ -x build/kam ] || { echo "build/kam is missing: make tests"; return 1; }
	out=$BATS_TEST_TMPDIR ini=$BATS_TEST_TMPDIR/ini image=build/BOOTX64.EFI
	sed 's/^hz = .*/hz = 2500000000/' tests/kam/mutations/quick.ini >"$ini"
	grep -qx 'hz = 2500000000' "$ini"
}

measure() { # result, probes ("" as a rule), more options
	build/kam --layer b --cold --cpu "$ini" --image "$image" --out "$out/$1" ${2:+--probes "$2"} "${@:3}" \
		>"$out/$1.log" 2>&1 || { cat "$out/$1.log"; return 1; }
}

same() { # two results
	tests/kam/same_rows.py "$out/$1" "$out/$2" || { echo "expected the same rows in $1 and $2"; return 1; }
}

# A picture of that size whose first pixel is the head's: the dashboard was drawn.
shows_dashboard() { # PPM, width, height
	python3 - "$@" <<'P' || { echo "expected a dashboard of $2x$3 in $1"; return 1; }
import sys
data, size = open(sys.argv[1], "rb").read(), int(sys.argv[2]) * int(sys.argv[3]) * 3
head = b"P6 %s %s 255\n" % (sys.argv[2].encode(), sys.argv[3].encode())
pixels = data[len(head):]
sys.exit(not (data.startswith(head) and len(pixels) == size and pixels.startswith(b"\x1d\x3d\x5c")))
P
}

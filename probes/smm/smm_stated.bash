# SPDX-License-Identifier: MIT
# For the tests of `smm` on stated machines.

load ../../tests/kam/stated_helper

probe=smm
asked=(--profile smoke --probes smm)
rows='smi-length smi-interval'
values='smis_per_second smi_length_ns smi_longest_ns smi_stolen_ppm'

# refused REASON VALUE EDIT...: the image on the machine by a timer with these edits writes to no port.
refused() {
	edited probes/smm/timer.ini "${@:3}"
	build/kam --layer b --cpu "$ini" --image build/BOOTX64.EFI --profile smoke --probes smm:asked \
		--load "smi_ask=$2" --out "$result" || true
	skipped asked "$1"
}

# SPDX-License-Identifier: MIT
# Boots by Bochs (tools/bochs). Loaded after helper.

# start_bochs: switches the machine of $vm on. Its process is $pid, its serial line $vm/serial.log.
start_bochs() {
	: >"$vm/serial.log"
	: >"$vm/qemu.log" # which `show` prints
	tools/bochs "$vm" 3>&- &
	pid=$!
}

# bochs_to_the_end: both rooms, whose results are on the serial line whole, and the way to the reset.
bochs_to_the_end() {
	start_bochs
	off_at 'resetting by'
	serial_result firmware
	serial_result bare
	refute said 'EXCEPTION'
}

# of_serial ROOM MEMBER: a member of the run line that came over the serial line, as jq prints it.
of_serial() {
	head -n 1 "$vm/serial-$1.ndjson" | jq -c ".$2"
}

# SPDX-License-Identifier: MIT
# What a provoked fault must leave behind; after helper.bash.

# faulted_in_bare DUMP: room bare shows it; room firmware is in its file, complete.
faulted_in_bare() {
	start
	await halted
	show
	said "$1"
	grep -q ' RAX 0.* R15 0.* CR2 ' <(tr '\n' ' ' <"$vm/console")
	screen
	grep -qF -- "$1" "$vm/screen"
	grep -q ' RAX 0' "$vm/screen"
	off
	results
	complete firmware
}

# faulted_in_firmware DUMP: in room firmware the run goes on: the file says how far it got, and room
# bare is measured.
faulted_in_firmware() {
	boot
	said "$1"
	results
	ended faulted firmware
	complete bare
}

# SPDX-License-Identifier: MIT
# What a provoked fault must leave behind; after helper.bash.

# halts_with_screen: from power-on until it halts. Its console, screen and results are then there.
halts_with_screen() {
	start
	await halted
	show
	screen
	off
	results
}

# dumped DUMP: the fault is shown with all registers, on the serial line and on the screen.
dumped() {
	said "$1"
	grep -q ' RAX 0.* R15 0.* CR2 ' <(tr '\n' ' ' <"$vm/console")
	grep -qF -- "$1" "$vm/screen"
	grep -q ' RAX 0' "$vm/screen"
}

# SPDX-License-Identifier: MIT
# readelf -rW of the linked program -> assembly of the PE base relocations (.reloc): a block for each
# 4 KiB page, an entry of type 10 (DIR64) for each 8-byte address. The linker has already stored the
# address relative to image base 0 in the place itself, as PE wants it. Anything but
# R_X86_64_RELATIVE would need a dynamic linker: an error. Hexadecimal is handled as text.
function block_end() { if (page != "") print "\t.balign 4\n2:" }

BEGIN { print "\t.section .reloc, \"a\"\n\t.balign 4" }

$3 ~ /^R_X86_64_/ {
	if ($3 != "R_X86_64_RELATIVE") {
		print "relocation " $0 " cannot be in the image" > "/dev/stderr"
		exit failed = 1
	}
	at = substr($1, 1, length($1) - 3)
	if (at != page) {
		block_end()
		page = at
		printf "1:\t.long 0x%s000, 2f - 1b\n", substr(at, length(at) - 4)
	}
	printf "\t.short 0xa%s\n", substr($1, length($1) - 2)
	entries++
}

END {
	if (failed)
		exit 1
	block_end()
	if (!entries) # a firmware takes an image without any relocation for one that cannot be moved
		print "\t.long 0, 12\n\t.short 0, 0"
	print "\t.section .note.GNU-stack, \"\", @progbits"
}

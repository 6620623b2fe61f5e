# SPDX-License-Identifier: MIT
# Timers that QEMU has; after helper.bash.

tco=(-global ICH9-LPC.noreboot=false)

# make_wdat FILE: an ACPI table that describes the timer of q35's chipset, at ports 660h and in GCS.
make_wdat() {
	python3 - "$1" <<-'END'
		import struct, sys
		MEMORY, PORT = 0, 1
		def entry(action, instruction, space, access, address, value, mask):
		    return struct.pack("<BBHBBBBQII", action, instruction, 0, space, 8 << (access - 1), 0, access,
		                       address, value, mask)
		tco, gcs, preserve = 0x660, 0xfed1f410, 0x80
		entries = [
		    entry(1, 2, PORT, 2, tco + 4, 8, 0xffff), # feed
		    entry(1, 2, PORT, 2, tco, 1, 0xffff),
		    entry(5, 1, PORT, 2, tco + 0x12, 0, 0x3ff),
		    entry(6, 3 | preserve, PORT, 2, tco + 0x12, 0, 0x3ff),
		    entry(8, 0, PORT, 2, tco + 8, 0, 0x800),
		    entry(9, 2 | preserve, PORT, 2, tco + 8, 0, 0x800),
		    entry(11, 2 | preserve, PORT, 2, tco + 8, 0x800, 0x800),
		    entry(17, 2 | preserve, MEMORY, 3, gcs, 0, 0x20),
		    entry(32, 0, PORT, 2, tco + 6, 2, 2),
		    entry(33, 2, PORT, 2, tco + 6, 2, 0xffff),
		]
		body = struct.pack("<IHBBB3xIIIB3xI", 32, 0xff, 0xff, 0xff, 0xff, 600, 0x3ff, 4, 1, len(entries))
		body += b"".join(entries)
		head = b"WDAT" + struct.pack("<IBB6s8sI4sI", 36 + len(body), 1, 0, b"TEST  ", b"WATCHDOG", 1, b"TEST", 1)
		table = bytearray(head + body)
		table[9] = -sum(table) & 255
		open(sys.argv[1], "wb").write(table)
	END
}

#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# An installed system sends its machine into the image and gets the results: `anechoic boot`, `fetch`.

load helper

# results_of FOLDER: copies \FOLDER\results\ of the disk to $vm/results.
results_of() {
	rm -rf "$vm/results"
	mkdir -p "$vm/results"
	mcopy -n -i "$vm/disk.img@@1M" "::/$1/results/*" "$vm/results/"
}

@test "configuration beside the image: that folder has all files, and the root none" {
	machine
	mmd -i "$vm/disk.img@@1M" ::/EFI/anechoic
	put "$efi" /EFI/anechoic/anechoic.efi
	put "$vm/anechoic.cfg" /EFI/anechoic/anechoic.cfg
	mdel -i "$vm/disk.img@@1M" ::/EFI/BOOT/BOOTX64.EFI ::/anechoic.cfg
	mdeltree -i "$vm/disk.img@@1M" ::/results
	python3 tests/boot/variables_image.py /usr/share/OVMF/OVMF_VARS_4M.fd "$vm/vars.fd" --entry 'seed=7'
	boot
	[ "$(grep -cF '  of \EFI\anechoic' "$vm/console")" = 3 ] # the file, the variable, the harvest
	narrow
	results_of EFI/anechoic
	complete firmware
	complete bare
	[ "$(mdir -b -i "$vm/disk.img@@1M" ::/)" = "::/EFI/" ]
}

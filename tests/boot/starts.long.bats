#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Every way to start that docs/boot.md tells, as far as an emulator has it. The stick itself, U-Boot and
# the other builds of OVMF: machines.bats and machines-others.long.bats.

load helper

options='profile=smoke probes=clock finish=poweroff prompt=0 countdown=0'

# medium ISO [LINE...]: a machine whose only medium is that file, configured as the tests are, and so.
medium() {
	mkdir -p "$vm"
	cp --sparse=always "$1" "$vm/disk.img"
	shift
	printf '%s\n' 'profile = smoke' 'probes = clock' 'finish = poweroff' 'prompt = 0' 'countdown = 0' "$@" \
		>"$vm/anechoic.cfg"
	# The ESP of tools/make-iso is the second partition.
	first=$(sgdisk -i 2 "$vm/disk.img" | awk '/^First sector/ { print $3 }')
	mcopy -o -i "$vm/disk.img@@$((first * 512))" "$vm/anechoic.cfg" ::/anechoic.cfg
}

# loader FILE: a disk that starts this loader; the image is \EFI\anechoic\anechoic.efi beside it.
loader() {
	machine
	mmd -i "$vm/disk.img@@1M" ::/EFI/anechoic
	put "$efi" /EFI/anechoic/anechoic.efi
	put "$1" /EFI/BOOT/BOOTX64.EFI
}

# options_arrived: both rooms were measured, as the load options say and the file does not.
options_arrived() {
	both_complete
	[ "$(first_of firmware seed)" = 7 ]
	[ "$(first_of bare seed)" = 7 ]
}

@test "the ISO as a CD in a drive: it starts, and says that nothing can be written there" {
	medium build/anechoic.iso
	DISK=none start -drive "if=none,id=cd,media=cdrom,format=raw,readonly=on,file=$vm/disk.img" \
		-device ide-cd,drive=cd,bootindex=0
	await 'no result file:'
	off_at 'room firmware,'
	said 'write-protected'
}

# No place to count starts on, and a firmware whose variables a reset clears. As by PXE, but configured.
@test "the ISO as a CD, variables that are forgotten, store = off and finish = reset: no reset at all" {
	export FIRMWARE=forgetful
	medium build/anechoic.iso 'store = off' 'rooms = bare' 'finish = reset'
	DISK=none start -drive "if=none,id=cd,media=cdrom,format=raw,readonly=on,file=$vm/disk.img" \
		-device ide-cd,drive=cd,bootindex=0
	halted
	said 'no reset, because'
	said 'variables are not known to outlive a reset'
	[ "$(grep -c 'room 1 of 1, bare' "$vm/console")" = 1 ]
}

@test "the ISO as a USB CD, which is what a server's virtual media are" {
	medium build/anechoic.iso
	DISK=none start -drive "if=none,id=cd,media=cdrom,format=raw,readonly=on,file=$vm/disk.img" \
		-device qemu-xhci -device usb-storage,drive=cd,bootindex=0
	await 'no result file:'
	await 'room firmware,'
}

@test "the ISO as a USB CD, and a stick with \\results: both results come home on that" {
	local other=$BATS_TEST_TMPDIR/other.img
	medium build/anechoic.iso
	truncate -s 64M "$other"
	mformat -i "$other" -F ::
	mmd -i "$other" ::/results
	DISK=none boot -drive "if=none,id=cd,media=cdrom,format=raw,readonly=on,file=$vm/disk.img" \
		-device qemu-xhci -device usb-storage,drive=cd,bootindex=0 \
		-drive "if=none,id=other,format=raw,file=$other" -device usb-storage,drive=other,removable=on
	mkdir -p "$vm/results"
	mcopy -n -i "$other" '::/results/*' "$vm/results/"
	complete firmware
	complete bare
}

@test "the ISO written to a stick byte for byte: results are on it" {
	medium build/anechoic.iso
	DISK=usb boot
	mkdir -p "$vm/results"
	mcopy -n -i "$vm/disk.img@@$((first * 512))" '::/results/*' "$vm/results/"
	complete firmware
	complete bare
}

@test "the UEFI shell, with arguments" {
	machine 'seed = 3'
	mdel -i "$vm/disk.img@@1M" ::/EFI/BOOT/BOOTX64.EFI
	put "$efi" /anechoic.efi
	printf 'fs0:\\anechoic.efi seed=7\r\necho returned %%lasterror%%\r\nreset -s\r\n' >"$vm/startup.nsh"
	put "$vm/startup.nsh" /startup.nsh
	boot
	options_arrived
}

@test "the UEFI shell, with runs=2: the arguments come back over the resets" {
	machine
	mdel -i "$vm/disk.img@@1M" ::/EFI/BOOT/BOOTX64.EFI
	put "$efi" /anechoic.efi
	printf 'fs0:\\anechoic.efi seed=7 runs=2\r\necho returned %%lasterror%%\r\nreset -s\r\n' >"$vm/startup.nsh"
	put "$vm/startup.nsh" /startup.nsh
	boot
	said 'run 2 of 2 is over'
	results
	for file in "$vm"/results/*-{firmware,bare}-{1,2}.ndjson; do
		python3 tests/cli/check_result.py "$file" complete
		[ "$(head -n 1 "$file" | jq .seed)" = 7 ]
	done
}

@test "systemd-boot, with options" {
	loader /usr/lib/systemd/boot/efi/systemd-bootx64.efi
	mmd -i "$vm/disk.img@@1M" ::/loader ::/loader/entries
	printf 'timeout 0\n' >"$vm/loader.conf"
	printf 'title anechoic\nefi /EFI/anechoic/anechoic.efi\noptions seed=7\n' >"$vm/anechoic.conf"
	put "$vm/loader.conf" /loader/loader.conf
	put "$vm/anechoic.conf" /loader/entries/anechoic.conf
	boot
	options_arrived
}

@test "GRUB's chainloader, with arguments" {
	mkdir -p "$vm"
	printf 'set timeout=0\nmenuentry anechoic {\n chainloader /EFI/anechoic/anechoic.efi seed=7\n}\n' \
		>"$vm/grub.cfg"
	grub-mkimage -O x86_64-efi -p /EFI/BOOT -o "$vm/grub.efi" part_gpt fat normal chain configfile
	loader "$vm/grub.efi"
	put "$vm/grub.cfg" /EFI/BOOT/grub.cfg
	boot
	options_arrived
}

@test "an internal disk: its own boot entry with options, as efibootmgr makes it" {
	machine 'seed = 3'
	mmd -i "$vm/disk.img@@1M" ::/EFI/anechoic
	put "$efi" /EFI/anechoic/anechoic.efi
	mdel -i "$vm/disk.img@@1M" ::/EFI/BOOT/BOOTX64.EFI
	python3 tests/boot/variables_image.py /usr/share/OVMF/OVMF_VARS_4M.fd "$vm/vars.fd" --entry 'seed=7'
	DISK=nvme boot
	options_arrived
}

# shim issues 649 and 698; Linux 4a568ce29d3f.
@test "Dell's load options, which are a whole boot option with the words at its end" {
	machine 'seed = 3'
	mmd -i "$vm/disk.img@@1M" ::/EFI/anechoic
	put "$efi" /EFI/anechoic/anechoic.efi
	mdel -i "$vm/disk.img@@1M" ::/EFI/BOOT/BOOTX64.EFI
	python3 tests/boot/variables_image.py /usr/share/OVMF/OVMF_VARS_4M.fd "$vm/vars.fd" --entry 'seed=7' --whole
	boot
	options_arrived
}

# network FILE: QEMU's own DHCP server offers FILE of the directory $vm/tftp.
network() {
	mkdir -p "$vm/tftp"
	cp "$efi" "$vm/tftp/BOOTX64.EFI"
	echo "-netdev user,id=net,tftp=$vm/tftp,bootfile=$1 -device virtio-net-pci,netdev=net,romfile="
}

@test "PXE: it starts with the defaults, and says that there is no place for a file" {
	machine
	DISK=none start $(network BOOTX64.EFI)
	await 'no result file:'
	off_at 'room 1 of 2, firmware'
	grep -qa 'without a key it starts in 3 s' "$vm/serial.log"
}

# served: a web server of this host that only the guest reaches, with the image; its port is $port.
served() {
	(cd "$vm/tftp" && exec python3 -u -m http.server --bind 127.0.0.1 0 >"$vm/http.log" 2>&1 3>&-) &
	server=$!
	until port=$(grep -oE 'port [0-9]+' "$vm/http.log"); do
		sleep 0.1
	done
	port=${port#port }
}

teardown() {
	off
	[ -z "${server:-}" ] || kill "$server"
}

@test "iPXE: chain over HTTP, with arguments" {
	loader /boot/ipxe.efi
	net=$(network start.ipxe)
	served
	printf '#!ipxe\nchain http://10.0.2.2:%s/BOOTX64.EFI seed=7 %s store=off rooms=bare\n' "$port" "$options" \
		>"$vm/tftp/start.ipxe"
	boot $net
	grep -q 'GET /BOOTX64.EFI' "$vm/http.log"
	serial_result bare
	[ "$(head -n 1 "$vm/serial.ndjson" | jq .seed)" = 7 ]
}

@test "UEFI HTTP boot" {
	mkdir -p "$vm"
	machine
	mdel -i "$vm/disk.img@@1M" ::/EFI/BOOT/BOOTX64.EFI
	net=$(network none)
	served
	python3 tests/boot/variables_image.py /usr/share/OVMF/OVMF_VARS_4M.fd "$vm/vars.fd" \
		--boot "http://10.0.2.2:$port/BOOTX64.EFI"
	start $net
	await 'room 1 of 2, firmware'
	grep -q 'GET /BOOTX64.EFI' "$vm/http.log"
}

# --- Secure Boot ---

secure=(-machine smm=on -global driver=cfi.pflash01,property=secure,value=on)

# own_key NAME: a key and its certificate, $vm/NAME.key and .crt and .der.
own_key() {
	mkdir -p "$vm"
	openssl req -new -x509 -newkey rsa:2048 -nodes -subj "/CN=$1/" -days 3650 -keyout "$vm/$1.key" \
		-out "$vm/$1.crt" 2>/dev/null
	openssl x509 -in "$vm/$1.crt" -outform DER -out "$vm/$1.der"
}

# signed NAME: the USB image that make sign makes with that key is the disk.
signed() {
	tools/sign "$vm/$1.key" "$vm/$1.crt"
	cp --sparse=always build/signed/anechoic.img "$vm/disk.img"
	configure 'rooms = firmware'
	MTOOLS_SKIP_CHECK=1 mdir -b -i "$vm/disk.img@@1M" ::/anechoic.cer
}

@test "Secure Boot with keys of one's own: what make sign made starts" {
	own_key owner
	export OVMF_CODE=/usr/share/OVMF/OVMF_CODE_4M.secboot.fd
	python3 tests/boot/variables_image.py /usr/share/OVMF/OVMF_VARS_4M.fd "$vm/vars.fd" --owner "$vm/owner.der"
	signed owner
	boot "${secure[@]}"
	results
	complete firmware
}

@test "Secure Boot: unsigned, or signed by another, is refused, and how that looks" {
	own_key owner
	own_key other
	export OVMF_CODE=/usr/share/OVMF/OVMF_CODE_4M.secboot.fd
	python3 tests/boot/variables_image.py /usr/share/OVMF/OVMF_VARS_4M.fd "$vm/vars.fd" --owner "$vm/owner.der"
	machine 'rooms = firmware'
	start "${secure[@]}"
	await 'Access Denied'
	off
	refute grep -qa '^anechoic' "$vm/serial.log"
	signed other
	start "${secure[@]}"
	await 'Access Denied'
	refute grep -qa '^anechoic' "$vm/serial.log"
}

@test "Secure Boot with Microsoft's keys: shim starts what a key in its MokList signed, and nothing else" {
	local vars=/usr/share/OVMF/OVMF_VARS_4M.ms.fd
	own_key owner
	own_key other
	export OVMF_CODE=/usr/share/OVMF/OVMF_CODE_4M.ms.fd
	python3 tests/boot/variables_image.py $vars "$vm/vars.fd" --mok "$vm/owner.der"
	signed owner
	put build/signed/BOOTX64.EFI /EFI/BOOT/grubx64.efi
	put /usr/lib/shim/shimx64.efi.signed /EFI/BOOT/BOOTX64.EFI
	boot "${secure[@]}"
	results
	complete firmware

	signed other
	put build/signed/BOOTX64.EFI /EFI/BOOT/grubx64.efi
	put /usr/lib/shim/shimx64.efi.signed /EFI/BOOT/BOOTX64.EFI
	start "${secure[@]}"
	await 'Verification failed: (0x1A) Security Violation'
	refute grep -qa '^anechoic' "$vm/serial.log"
}

#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Machines without a disk: the configuration comes from the boot server and the results go there, by TFTP and
# by HTTP; and what a server does that is dead, slow, full, or refuses.

load helper
load network_helper

# both_rooms_there: the two results are on the server, complete, and nothing waits any more.
both_rooms_there() {
	fetched
	complete firmware
	complete bare
	refute waits
}

# full_when_bare_comes STATUS: the server's disk has room for room firmware's file only.
full_when_bare_comes() {
	start "${machine_network[@]}"
	off_at 'stays there'
	narrow
	said "its file cannot be written: $1"
	waits
	fetched
	complete firmware
	absent bare
}

# --- TFTP: tftpd-hpa ---

@test "PXE: the configuration of this card, both rooms' results on the server" {
	network 'seed = 7'
	printf 'seed = 3\n' >"$served/anechoic.cfg"
	dhcp
	tftpd
	network_boot
	both_rooms_there
	[ "$(first_of firmware seed)" = 7 ]
	[ "$(first_of bare seed)" = 7 ]
	said "its file $own.cfg is the configuration"
	said 'results go to the boot server; after room bare the machine resets'
	said 'read back, the same'
	[ -s "$served/$own.started" ]
}

@test "PXE: the image in a folder; the configuration of all cards lies beside it" {
	network
	mkdir "$served/lab"
	chmod 777 "$served/lab"
	mv "$served/BOOTX64.EFI" "$served/lab/"
	mv "$served/$own.cfg" "$served/lab/anechoic.cfg"
	printf 'rooms = firmware\nseed = 9\n' >>"$served/lab/anechoic.cfg"
	dhcp --dhcp-boot=lab/BOOTX64.EFI
	tftpd
	network_boot
	served=$served/lab
	fetched
	complete firmware
	[ "$(first_of firmware seed)" = 9 ]
	said 'its file anechoic.cfg is the configuration'
}

@test "PXE: a server that stores nothing is named, and room bare stays on the card and in variables" {
	network 'rooms = bare'
	dhcp
	tftpd --ipv4
	start "${machine_network[@]}"
	halted
	narrow
	said 'the boot server stores no file (TFTP: File not found)'
	said 'Linux on this machine reads it: anechoic import --efivars'
	waits
	fetched
	absent bare
	serial_result bare
}

@test "PXE: a server that refuses in many words is quoted, within the columns" {
	network 'rooms = firmware'
	dhcp
	python_server tftp_server.py "$served" --misbehave refuse anechoic
	network_boot
	said 'results go to no file'
	said 'no result file: the boot server stores no file'
	said '  (TFTP: cannot write /'
}

@test "PXE: a server that dies before the harvest: the result waits until it is back" {
	network 'rooms = bare'
	dhcp
	tftpd
	start "${machine_network[@]}"
	await 'stored: the next start writes'
	await 'Station IP address' 2
	await 'the boot server is 10.9.0.1' 2
	end_last
	off_at 'stays there'
	narrow
	waits
	tftpd
	network_boot
	fetched
	complete bare
	refute waits
}

@test "PXE: a disk that gets full is named, and the result of bare waits" {
	network
	dhcp
	python_server tftp_server.py "$served" --misbehave full bare
	full_when_bare_comes 'volume full'
}

# --- TFTP: bad servers. What they do must end by itself. ---

# bad HOW NAME TEXT: that server, and what is said of it.
bad() {
	network "rooms = firmware" "$(for i in {1..60}; do printf '#%400s\n' .; done)"
	dhcp
	python_server tftp_server.py "$served" --misbehave "$1" "$2"
	start "${machine_network[@]}"
	await "$3"
}

@test "PXE: a configuration without end is given up at 64 KiB" {
	bad endless .cfg "the boot server's $own.cfg is larger than 64 KiB"
}

@test "PXE: a server too slow for a configuration is given up" {
	bad slow .cfg "the boot server's $own.cfg: no answer"
}

@test "PXE: a server that hears the fourth request only is asked four times" {
	bad deaf .cfg "its file $own.cfg is the configuration"
}

@test "PXE: a server that does not answer any more is asked for nothing else" {
	bad silent .started 'no result file: the boot server does not answer'
	sed -n '/\.started/,$p' "$vm/server.log" >"$vm/after"
	cat "$vm/after"
	grep -q '\.started silent' "$vm/after"
	refute grep -v '\.started silent' "$vm/after"
}

# --- HTTP ---

# http_network [LINE...]: a machine that HTTP boot starts. By an entry of its own: PXE would come first.
http_network() {
	network "$@"
	dhcp --dhcp-option=3
	python3 tests/boot/variables_image.py /usr/share/OVMF/OVMF_VARS_4M.fd "$vm/vars.fd" \
		--boot http://10.9.0.1/BOOTX64.EFI
	machine_network[3]=${machine_network[3]%,bootindex=0}
}

@test "HTTP: the configuration of this card, both rooms' results on the server" {
	http_network 'seed = 7'
	python_server http_server.py 80 "$served"
	network_boot
	both_rooms_there
	[ "$(first_of firmware seed)" = 7 ]
	[ "$(first_of bare seed)" = 7 ]
	said 'read back, the same'
}

@test "HTTP: what a server took and does not give back is said to be taken" {
	http_network
	python_server http_server.py 80 "$served" --misbehave kept ndjson
	network_boot
	both_rooms_there
	said 'taken by the server, which does not give it back'
	said 'taken by the server; the variable is deleted'
}

@test "HTTP: a disk that gets full is an HTTP error (UEFI has no code for 507); the result of bare waits" {
	http_network
	python_server http_server.py 80 "$served" --misbehave full bare
	full_when_bare_comes 'HTTP error'
}

# http_bad HOW NAME TEXT: that server, and what is said of it.
http_bad() {
	http_network
	python_server http_server.py 80 "$served" --misbehave "$1" "$2"
	start "${machine_network[@]}"
	await "$3"
}

@test "HTTP: a server that takes no file is named, with its status" {
	http_bad refuse .started 'the boot server stores no file (HTTP: HTTP status 403)'
}

@test "HTTP: a configuration of 100 MB" {
	http_bad huge .cfg "the boot server's $own.cfg is larger than 64 KiB"
}

@test "HTTP: a body without end and without a length" {
	http_bad endless .cfg "the boot server's $own.cfg cannot be read"
	await 'results go to the boot server'
}

@test "HTTP: a header without end, from which EDK II does not come back, is said" {
	http_bad headers .cfg "the firmware's network does not come back from the boot server"
}

@test "HTTP: a server that does not answer any more" {
	http_bad silent .started 'the boot server does not answer'
}

@test "HTTP: a server that is gone when the room has ended: the firmware gives it up by itself" {
	http_network 'rooms = firmware'
	python_server http_server.py 80 "$served"
	start "${machine_network[@]}"
	await 'results go to the boot server'
	inside ip link set tap0 down
	await 'writing failed: no response'
	refute grep -aq 'does not come back' "$vm/serial.log"
}

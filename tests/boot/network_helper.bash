# SPDX-License-Identifier: MIT
# A network of its own for each test: a namespace with a tap device, DHCP and a boot server, and a machine
# without a disk. All of it ends with the test, by process id.

card=52-54-00-00-00-07
own=anechoic-$card
processes=()

# inside COMMAND...: in the namespace.
inside() {
	nsenter --net="/proc/${processes[0]}/ns/net" "$@"
}

# background LOG COMMAND...: the same, until the test ends; its process is the last of $processes.
background() {
	local log=$1
	shift
	nsenter --net="/proc/${processes[0]}/ns/net" "$@" >"$vm/$log" 2>&1 3>&- &
	processes+=($!)
}

# network [LINE...]: the namespace, and in $served the image and a configuration of that very card.
network() {
	[ "$(id -u)" = 0 ] || skip "a network namespace needs root"
	served=$vm/served
	mkdir -p "$served"
	chmod 755 "$BATS_RUN_TMPDIR" "$BATS_TEST_TMPDIR" "$vm"
	chmod 777 "$served"
	cp "$efi" "$served/BOOTX64.EFI"
	printf '%s\n' 'profile = smoke' 'probes = clock' 'finish = poweroff' 'prompt = 0' 'countdown = 0' "$@" \
		>"$served/$own.cfg"
	unshare --net sleep infinity 3>&- &
	processes=($!)
	until [ "$(readlink "/proc/${processes[0]}/ns/net")" != "$(readlink /proc/self/ns/net)" ]; do
		sleep 0.05
	done
	inside ip link set lo up
	inside ip tuntap add tap0 mode tap
	inside ip address add 10.9.0.1/24 dev tap0
	inside ip link set tap0 up
	printf '#!/bin/sh\nexec nsenter --net=/proc/%s/ns/net qemu-system-x86_64 "$@"\n' "${processes[0]}" \
		>"$vm/qemu"
	chmod +x "$vm/qemu"
	export QEMU=$vm/qemu DISK=none
	machine_network=(-netdev tap,id=net,ifname=tap0,script=no,downscript=no
		-device virtio-net-pci,netdev=net,mac=52:54:00:00:00:07,romfile=,bootindex=0)
}

# dhcp [OPTION...]: DHCP that names the image to PXE.
dhcp() {
	background dnsmasq.log dnsmasq --keep-in-foreground --port=0 --conf-file=/dev/null --user=root \
		--interface=tap0 --bind-interfaces --dhcp-range=10.9.0.10,10.9.0.20 --no-ping \
		--dhcp-leasefile="$vm/leases" "${@:---dhcp-boot=BOOTX64.EFI}"
}

# tftpd [OPTION...]: tftpd-hpa, which is a package of its own; by default it takes new files.
tftpd() {
	background tftpd.log in.tftpd --foreground --secure --address 10.9.0.1:69 --user root \
		"${@:---create}" "$served"
}

# python_server FILE ARGUMENT...: one of our own, which misbehaves as told.
python_server() {
	local file=$1
	shift
	background server.log python3 -u "tests/boot/$file" 10.9.0.1 "$@"
}

# end_last: ends the process that was started last.
end_last() {
	kill "${processes[-1]}"
	wait "${processes[-1]}" 2>/dev/null || true
	unset 'processes[-1]'
}

teardown() {
	local i
	off
	for ((i = ${#processes[@]} - 1; i >= 0; i--)); do
		kill "${processes[i]}" 2>/dev/null || true
		wait "${processes[i]}" 2>/dev/null || true
	done
}

# fetched: the results on the server become those of the machine, without their prefix.
fetched() {
	local file
	ls -l "$served"
	mkdir -p "$vm/results"
	for file in "$served/$own"-*.ndjson; do
		[ ! -f "$file" ] || cp "$file" "$vm/results/${file##*"$own"-}"
	done
}

# network_boot: from switching on to switching off.
network_boot() {
	boot "${machine_network[@]}"
	sed -i '/Downloading\.\.\..*BdsDxe/d' "$vm/console" # a line of the firmware
	narrow
}

# waits: a result waits in variables.
waits() {
	grep -q '^AnechoicResult' <(python3 tests/boot/nvram.py "$vm/vars.fd")
}

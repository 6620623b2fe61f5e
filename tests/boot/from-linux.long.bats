#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# An installed system sends its machine into the image and gets the results: `anechoic boot`, `fetch`.

load helper
load linux_guest

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

# A processor whose time stamp counter Linux calls constant, without which there is no room hosted.
export QEMU_CPU=Skylake-Client

@test "from Linux into both rooms and back, fetched, compared, undone" {
	installed
	todo <<-'END'
		anechoic boot --undo
	END
	boot "${little[@]}"
	variables >"$vm/before"
	todo <<-'END'
		cd /boot/efi/out
		options='profile=smoke probes=clock prompt=0 countdown=0'
		if [ ! -e hosted.ndjson ]; then
			anechoic run --profile smoke --probes clock --memory 64m --out hosted.ndjson >run.txt
			anechoic boot --dry-run $options
			ls -1 /boot/efi/EFI
			anechoic boot --reboot $options
		fi
		anechoic show hosted.ndjson >/dev/null
		anechoic boot --undo; echo "undo: $?"
		anechoic fetch; echo "fetch: $?"
		anechoic fetch; echo "fetch again: $?"
		anechoic boot --undo; echo "undo again: $?"
		anechoic compare *-bare.ndjson hosted.ndjson *-firmware.ndjson >compare.txt
		ls -1 /boot/efi/EFI
	END
	boot "${little[@]}"
	out
	cat "$vm/out/run.txt" "$vm/out/compare.txt"
	said 'dry run: nothing was written'
	said 'results of a boot wait (3 files): sudo anechoic fetch' # two results and their page
	said '3 files stay in'
	for line in 'undo: 1' 'fetch: 0' 'fetch again: 1' 'undo again: 0'; do
		said "$line"
	done
	refute grep -q '^anechoic$' "$vm/console" # no such folder before, none after
	for room in hosted firmware bare; do
		python3 tests/cli/check_result.py "$vm"/out/*$room.ndjson complete
	done
	grep -q 'room bare' "$vm/out/compare.txt"
	grep -q 'room hosted' "$vm/out/compare.txt"
	grep -q 'room firmware' "$vm/out/compare.txt"
	variables >"$vm/after"
	diff "$vm/before" "$vm/after"
}

@test "the ladder, with a partition that is not mounted: three rooms, one comparison, nothing left" {
	installed
	with_home
	todo <<-'END'
		old=/boot/efi/EFI/anechoic/results
		[ -e /var/lib/anechoic/ladder ] || { mkdir -p $old; touch $old/old-bare.ndjson; }
		umount /boot/efi
		if [ ! -e /var/lib/anechoic/ladder ]; then
			anechoic ladder --reboot --out /var/lib/anechoic/early; echo "early: $?"
			mount -t vfat /dev/nvme0n1p1 /boot/efi
			rm $old/old-bare.ndjson
			umount /boot/efi
			anechoic ladder --reboot --out /var/lib/anechoic/three \
				profile=smoke probes=clock memory=64m prompt=0 countdown=0 rooms=both
		fi
		anechoic ladder --resume; echo "ladder: $?"
		anechoic ladder --resume; echo "again: $?"
		mount -t vfat /dev/nvme0n1p1 /boot/efi
		ls -1 /boot/efi/EFI
	END
	boot "${little[@]}" "${home[@]}"
	said '/dev/nvme0n1p1 (not mounted)'
	said 'results of an earlier boot wait: anechoic fetch'
	said 'early: 2'
	said 'ladder: 0'
	said 'again: 1'
	refute grep -q '^anechoic$' "$vm/console"
	mkdir "$vm/three"
	mcopy -n -i "$vm/home.img" '::/three/*' "$vm/three/"
	for room in hosted firmware bare; do
		python3 tests/cli/check_result.py "$vm"/three/*$room.ndjson complete
		grep -q "room $room" "$vm/three/compare.txt"
	done
	[ "$(mdir -b -i "$vm/home.img" ::/)" = '::/three/' ]
}

@test "the ladder with --runs 2: the rooms in turn, a file each, compared as two runs a side" {
	installed
	with_home
	todo <<-'END'
		cd /var/lib/anechoic
		if [ ! -e ladder ]; then
			anechoic ladder --runs 100; echo "refused: $?"
			anechoic ladder --runs 2 runs=2; echo "refused: $?"
			anechoic ladder --reboot --runs 2 --out two \
				profile=smoke probes=clock,latency memory=64m prompt=0 countdown=0
		fi
		anechoic ladder --resume; echo "ladder: $?"
	END
	boot "${little[@]}" "${home[@]}"
	[ "$(grep -c '^refused: 2' "$vm/console")" = 2 ]
	said 'runs=2: --runs N, so that the rooms come in turn'
	said 'run 1 of 2; about 60 s left of all, without the restarts'
	said 'run 2 of 2; about 30 s left of all, without the restarts'
	said 'ladder: 0'
	mkdir "$vm/two"
	mcopy -n -i "$vm/home.img" '::/two/*' "$vm/two/"
	for room in hosted firmware bare; do
		for k in 1 2; do
			python3 tests/cli/check_result.py "$vm/two/$room-$k.ndjson" complete
		done
	done
	cat "$vm/two/compare.txt"
	[ "$(tr '\n' ' ' <"$vm/two/compare.txt" | grep -o ', 2 runs,' | wc -l)" = 3 ] # lines are wrapped
	# One after the other: hosted, firmware, bare, hosted, firmware, bare.
	for k in 1 2; do
		for room in hosted firmware bare; do
			head -n 1 "$vm/two/$room-$k.ndjson" | jq -r .time_utc
		done
	done | sort -c
}

@test "refused on a real partition: read-only, full, BootNext taken, several, none; nothing is written" {
	installed
	cp --sparse=always build/anechoic.img "$vm/second.img"
	todo <<-'END'
		try() { echo "--- $*"; anechoic boot "$@"; echo "exit: $?"; }
		next=/sys/firmware/efi/efivars/BootNext-8be4df61-93ca-11d2-aa0d-00e098032b8c
		cd /
		mount -o remount,ro /boot/efi
		try
		mount -o remount,rw /boot/efi
		dd if=/dev/zero of=/boot/efi/filler bs=64k 2>/dev/null
		try
		rm /boot/efi/filler
		printf '\007\000\000\000\000\000' >$next
		try
		chattr -i $next; rm $next
		try >/dev/full
		ls -1 /boot/efi/EFI
		try --esp /dev/nvme1n1p1 --dry-run
		umount /boot/efi
		try
		try --esp /tmp
		ls -a /sys/firmware/efi/efivars | grep -i anechoic
		mount -t vfat /dev/nvme0n1p1 /boot/efi
		ls -1 /boot/efi/EFI /boot/efi
	END
	boot "${little[@]}" -drive "if=none,id=second,format=raw,file=$vm/second.img" -device nvme,drive=second,serial=second
	said '/boot/efi is mounted read-only'
	said 'too little room: '
	said 'BootNext is 0000 already'
	said 'several EFI system partitions'
	grep -q 'choose with --esp: .*/dev/nvme0n1p1' "$vm/console"
	said 'no FAT file system is mounted there'
	said 'cannot write the output'
	[ "$(grep -c '^exit: 2' "$vm/console")" = 5 ]
	[ "$(grep -c '^exit: 0' "$vm/console")" = 1 ] # the dry run
	refute grep -qi '^anechoic$' "$vm/console"
}

# cut_at TEXT: switches on, cuts the power as soon as the serial line shows that, and starts again, without any
# order: Linux must come up.
cut_at() {
	echo "--- cut at: $1"
	todo <"$vm/send.sh"
	start "${little[@]}"
	await "$1"
	off
	todo <<<'anechoic boot --undo; echo "undone: $?"'
	boot "${little[@]}"
	said '(linux is up)'
	refute grep -q '^undone: 2' "$vm/console" # refused
}

@test "the power cut on the way: Linux comes back each time, and nothing that was complete is lost" {
	installed
	cat >"$vm/send.sh" <<-'END'
		if [ ! -e /boot/efi/EFI/anechoic/anechoic.cfg ]; then
			sleep 1; echo "(sending)"
			anechoic boot --reboot profile=smoke probes=clock prompt=0 countdown=0
		fi
	END
	for point in '(sending)' 'in no boot order' 'starting Boot0003' 'room 1 of 2' 'leaving the firmware' \
		'room 2 of 2' 'stored: the next start' 'is now in'; do
		cut_at "$point"
	done
	todo <<-'END'
		cd /boot/efi/out; anechoic fetch; anechoic boot --undo; echo "undone: $?"; ls -1 /boot/efi/EFI
	END
	boot "${little[@]}"
	said 'undone: 0'
	refute grep -q '^anechoic$' "$vm/console"
	out
	ls "$vm/out"
	python3 tests/cli/check_result.py "$(ls "$vm"/out/*-bare.ndjson | tail -n 1)" complete
	refute grep -q '^Anechoic' <(python3 tests/boot/nvram.py "$vm/vars.fd")
	refute grep -q '^Boot0003 ' <(python3 tests/boot/nvram.py "$vm/vars.fd")
}

# steps_of_rent FIRST LAST: the commands of these steps of docs/rent.md, section a, that are run on the server.
steps_of_rent() {
	sed -n "/^## a\\./,/^## b\\./{/^$1\\. /,/^$(($2 + 1))\\. /s/^       \\(\\.\\/anechoic .*\\)/\\1/p}" docs/rent.md
}

@test "docs/rent.md, a dedicated server: a rescue system in memory does what it says, word by word" {
	installed
	[ "$(steps_of_rent 3 4 | wc -l)" = 2 ]
	[ "$(steps_of_rent 5 6 | wc -l)" = 2 ]
	todo <<-END
		mkdir /root; cd /root; cp /bin/anechoic /lib/anechoic/BOOTX64.EFI .
		[ -d /boot/efi/EFI/anechoic ] && back=yes
		umount /boot/efi
		if [ ! \$back ]; then
			$(steps_of_rent 3 4 | sed '/ladder/s/$/ profile=smoke probes=clock memory=64m prompt=0 countdown=0/')
		fi
		rm -rf /root/results
		$(steps_of_rent 5 6 | sed 's/$/; echo "exit: $?"/')
		./anechoic boot --undo; echo "undo: \$?"
		mount -t vfat /dev/nvme0n1p1 /boot/efi; cp -r /root/results /boot/efi/out; ls -1 /boot/efi/EFI
	END
	boot "${little[@]}"
	said 'dry run: nothing was written'
	said 'exit: 0' # fetch
	said 'exit: 1' # check: an emulator ran it
	said 'FAIL  silicon      EMULATED'
	said 'undo: 0'
	refute grep -q '^anechoic$' "$vm/console"
	out
	for room in firmware bare; do
		python3 tests/cli/check_result.py "$vm"/out/results/*-$room.ndjson complete
	done
}

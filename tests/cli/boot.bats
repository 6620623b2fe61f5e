#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# anechoic boot and fetch on a machine that cannot do it, and what they refuse. The whole way:
# tests/boot/from-linux.long.bats; what is written, and killed anywhere: tests/unit/linux/send_test.c.

bats_require_minimum_version 1.5.0

load helper

# variable NAME BYTES: one of the firmware's, as efivarfs has it.
variable() {
	mkdir -p "$dir/vars"
	printf "\\7\\0\\0\\0$2" >"$dir/vars/$1-8be4df61-93ca-11d2-aa0d-00e098032b8c"
	export EFIVARFS_PATH=$dir/vars/
}

@test "what the image would refuse is refused, with the same reason" {
	exits 2 "anechoic boot: unknown key 'profil': did you mean 'profile'?" "$anechoic" boot profil=full
	exits 2 "profile = 'fast': must be one of smoke, default, full" "$anechoic" boot profile=fast
	exits 2 "'full': want key=value" "$anechoic" boot full
	exits 2 "not text" "$anechoic" boot "usb_skip=$(printf '\001')"
	exits 2 "want key = value" "$anechoic" boot "usb_skip=$(printf 'a\nb')"
	for word in 'run_id=run #3' 'run_id=#3'; do
		exits 2 "'$word': a # there begins a comment in anechoic.cfg" "$anechoic" boot "$word"
	done
	exits 2 "--key and --cert go together" "$anechoic" boot --key x
	exits 2 "--undo goes with --esp only" "$anechoic" boot --undo profile=full
	exits 2 "takes options only" "$anechoic" fetch x
}

@test "no UEFI, no image, Secure Boot, no partition: each is said, and nothing is written" {
	[ -d /sys/firmware/efi ] || exits 2 "not started by UEFI" "$anechoic" boot
	exits 2 "No such file" "$anechoic" boot --image "$dir/none"
	exits 2 "is no EFI application" "$anechoic" boot --image /bin/true
	variable SecureBoot '\1'
	exits 2 "Secure Boot is on and the image is not signed" "$anechoic" boot --dry-run
	variable SecureBoot '\0'
	exits 2 "no FAT file system is mounted there" "$anechoic" boot --dry-run --esp "$dir"
	exits 2 "No such file" "$anechoic" boot --undo --esp "$dir/none"
	[ "$(ls "$dir")" = vars ]
	[ "$(ls "$dir/vars" | wc -l)" = 1 ]
}

@test "with a key, a signed image; a key that is none is said" {
	command -v sbsign >/dev/null || skip "no sbsign"
	variable SecureBoot '\1'
	exits 2 "sbsign did not sign" "$anechoic" boot --dry-run --key /dev/null --cert /dev/null --esp "$dir"
	openssl req -new -x509 -newkey rsa:2048 -nodes -subj /CN=test/ -keyout "$dir/key" -out "$dir/cert" \
		2>/dev/null
	exits 2 "no FAT file system" "$anechoic" boot --dry-run --key "$dir/key" --cert "$dir/cert" --esp "$dir"
}

@test "results that wait are mentioned by every command but these two" {
	unshare -m true 2>/dev/null || skip "no mount namespace of our own here"
	inside() {
		unshare -m sh -c 'mount -t tmpfs none /boot; mkdir -p /boot/efi/EFI/anechoic/results
			touch /boot/efi/EFI/anechoic/results/x.ndjson; '"$1"
	}
	exits 0 "anechoic: results of a boot wait (1 file): sudo anechoic fetch" inside '$anechoic show --help'
	run -0 inside '$anechoic fetch --help 2>&1 >/dev/null'
	[ -z "$output" ]
	run -0 --separate-stderr "$anechoic" show --help
	[ -z "$stderr" ]
}

# In a name space of its own: a result that waits in the variables of this machine stays there.
@test "a damaged result in variables does not keep the files on the partition from coming" {
	unshare -m true 2>/dev/null || skip "no mount namespace of our own here"
	inside() {
		unshare -m sh -c 'mount -t tmpfs none /sys/firmware; mkdir -p /sys/firmware/efi/efivars
			echo damaged >/sys/firmware/efi/efivars/AnechoicResult-52b20cc6-8b4e-4a3f-9d1e-6f0c5b7a21e4
			$anechoic fetch --out $dir/out --esp $dir'
	}
	exits 2 "the result in firmware variables: " inside
	[[ $output == *"no FAT file system is mounted there"* ]]
}

@test "a ladder: refused before it measures; nothing to resume; a state that is none" {
	unshare -m true 2>/dev/null || skip "no mount namespace of our own here"
	inside() { # a ladder that is under way on this machine, and its unit, stay
		unshare -m sh -c "mount -t tmpfs none /var/lib; mkdir /var/lib/anechoic
			[ ! -d /etc/systemd/system ] || mount -t tmpfs none /etc/systemd/system; $1"
	}
	exits 2 "unknown key 'profil'" inside '$anechoic ladder profil=full'
	exits 2 "no FAT file system" inside 'EFIVARFS_PATH='"$dir"'/ $anechoic ladder --esp /'
	exits 1 "none is under way" inside '$anechoic ladder --resume'
	exits 2 "is no state of a ladder" inside 'echo x >/var/lib/anechoic/ladder; $anechoic ladder --resume'
	exits 2 "results of an earlier boot wait: anechoic fetch" inside 'mount -t tmpfs none /boot
		mkdir -p /boot/efi/EFI/anechoic/results; touch /boot/efi/EFI/anechoic/results/x; $anechoic ladder'
	exits 2 "one is under way" inside 'echo "out /" >/var/lib/anechoic/ladder; $anechoic ladder'
	exits 2 "--resume goes with --reboot only" "$anechoic" ladder --resume x
}

#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# make deb: what is in the package, and what Debian's own checker says of it.

load helper

setup_file() {
	cd "$BATS_TEST_DIRNAME/../.." || return
	make -s deb >"$BATS_FILE_TMPDIR/log" 2>&1 || { cat "$BATS_FILE_TMPDIR/log"; return 1; }
	DEB=$(ls "$PWD"/build/deb/anechoic_*_amd64.deb)
	export DEB
}

@test "lintian has no error and no warning" {
	[ "$(lintian --version 2>/dev/null | cut -d' ' -f1)" = Lintian ]
	lintian --allow-root --no-cfg --fail-on error,warning "$DEB" >"$BATS_TEST_TMPDIR/said" 2>&1 ||
		{ cat "$BATS_TEST_TMPDIR/said"; return 1; }
}

@test "it has what make install installs, and Debian's own files beside it" {
	make -s install PREFIX=/usr DESTDIR="$BATS_TEST_TMPDIR/installed"
	dpkg-deb -x "$DEB" "$BATS_TEST_TMPDIR/unpacked"
	for root in installed unpacked; do
		(cd "$BATS_TEST_TMPDIR/$root" && find . -type f | sed 's/\.1\.gz$/.1/' | sort) >"$BATS_TEST_TMPDIR/$root.files"
	done
	diff <(grep -v '/doc/anechoic/LICENSE$' "$BATS_TEST_TMPDIR/installed.files") \
		<(grep -vE '/doc/anechoic/(copyright|changelog\.gz)$' "$BATS_TEST_TMPDIR/unpacked.files")
	[ "$(wc -l <"$BATS_TEST_TMPDIR/unpacked.files")" -ge 15 ]
}

@test "its program runs, and says the package's version; its image is one" {
	dpkg-deb -x "$DEB" "$BATS_TEST_TMPDIR/unpacked"
	[ "$("$BATS_TEST_TMPDIR/unpacked/usr/bin/anechoic" --version)" = "anechoic $(dpkg-deb -f "$DEB" Version)" ]
	[ "$(head -c 2 "$BATS_TEST_TMPDIR/unpacked/usr/lib/anechoic/BOOTX64.EFI")" = MZ ]
	strings -n 8 "$BATS_TEST_TMPDIR/unpacked/usr/lib/anechoic/BOOTX64.EFI" | grep -qF "$(dpkg-deb -f "$DEB" Version)"
}
